import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

/// Damages databases at random places and salvages them. A document must be recovered unchanged if its ID is in none of the damaged pages: every
/// page with a part of a document contains its ID.
@Suite("Salvage")
struct SalvageTests {
    /// The number of places at which each kind of database is damaged; `SALVAGE_PLACES` sets another.
    private static let places = ProcessInfo.processInfo.environment["SALVAGE_PLACES"].flatMap { Int($0) } ?? 20

    private func documents(of bundle: BundlePath, _ options: DatabaseFile.Options) throws -> [String: String] {
        let file = try DatabaseRegistry.open(bundle.directory, options: options)
        defer { try? DatabaseRegistry.close(file) }
        #expect(try BundleChecker(file).findings().filter { $0.severity == .error } == [])
        var found: [String: String] = [:]
        for id in try file.collectionIDs() {
            try file.collection(id)?.forEachDocument { document in
                found[document.id] = try document.canonicalJSON()
                return true
            }
        }
        return found
    }

    @Test("a database without damage is copied completely, with tombstones", arguments: [false, true])
    func intact(encrypted: Bool) throws {
        let options = DamagedDatabases.options(encrypted: encrypted)
        let (database, expected) = try DamagedDatabases.make(options)
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(database.path, to: made, options: options)
        #expect(report.lossCount == 0, "\(report.losses)")
        #expect(report.contents.documents == expected.count)
        #expect(report.contents.tombstones == 12)
        #expect(try documents(of: made, options) == expected)
        #expect(throws: StoreError.self) { try Salvage.copy(database.path, to: made, options: options) }
        if !encrypted { #expect(try DatabaseChecker.check(URL(fileURLWithPath: made.directory)).problems == []) }
    }

    @Test("the version of the documents is salvaged, so that migrations are not done again")
    func contentVersion() throws {
        let database = try TestDatabase()
        try database.file.setContentVersion(3)
        try database.close()
        let made = BundlePath(database.directory.path("made.cblite2"))
        _ = try Salvage.copy(database.path, to: made, options: .init())
        let file = try DatabaseRegistry.open(made.directory, options: .init())
        defer { try? DatabaseRegistry.close(file) }
        #expect(try file.contentVersion() == 3)
    }

    @Test("a database without blobs needs no directory for them, and with blobs each of them is lost without it")
    func noBlobDirectory() throws {
        for hasBlob in [false, true] {
            let database = try TestDatabase()
            let digest = try database.file.blobs.store(Array("content".utf8))
            let blob = #"{"@type":"blob","digest":"\#(digest.string)","length":7}"#
            try database.save("doc", hasBlob ? #"{"file":\#(blob)}"# : "{}", hasBlobs: hasBlob)
            try database.close()
            try FileManager.default.removeItem(atPath: database.path.attachments)
            let made = BundlePath(database.directory.path("made.cblite2"))
            let report = try Salvage.copy(database.path, to: made, options: .init())
            #expect(report.contents.documents == 1)
            #expect(report.lossCount == (hasBlob ? 1 : 0), "\(report.losses)")
        }
    }

    @Test("every document whose pages are intact is recovered", arguments: [false, true])
    func damaged(encrypted: Bool) throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let options = DamagedDatabases.options(encrypted: encrypted)
        let (database, expected) = try DamagedDatabases.make(options)
        let path = database.path.sqliteFile
        let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let keys = try options.key.map { try EncryptedFileSystem(opening: path, with: $0).keys }
        let pages = try PageFile(path, log: database.path.encryptedLog, keys: keys)
        let texts = (0...pages.pageCount).map { String(decoding: pages.page($0) ?? [], as: UTF8.self) }
        let start = encrypted ? 4096 : 0
        let made = BundlePath(database.directory.path("made.cblite2"))
        for place in 0..<Self.places {
            var bytes = original
            var damaged = Set<Int>()
            func page(_ number: Int) -> Range<Int> { start + (number - 1) * 4096..<start + number * 4096 }
            switch place % 4 {
            case 0:
                let number = Int.random(in: 1...pages.pageCount, using: &generator)
                damaged = [number]
                for offset in page(number) { bytes[offset] = .random(in: 0...255, using: &generator) }
            case 1:
                for _ in 0..<6 {
                    let number = Int.random(in: 1...pages.pageCount, using: &generator)
                    damaged.insert(number)
                    bytes[Int.random(in: page(number), using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                }
            case 2:
                for _ in 0..<3 {
                    let number = Int.random(in: 1...pages.pageCount, using: &generator)
                    damaged.insert(number)
                    bytes.replaceSubrange(page(number), with: [UInt8](repeating: 0, count: 4096))
                }
            default:
                let size = Int.random(in: (start + 8192)..<bytes.count, using: &generator)
                damaged = Set(((size - start) / 4096 + 1)...pages.pageCount)
                bytes.removeLast(bytes.count - size)
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let report = try Salvage.copy(database.path, to: made, options: options)
            let found = try documents(of: made, options)
            try FileManager.default.removeItem(atPath: made.directory)
            // Without the shared keys no document can be read.
            if damaged.contains(where: { texts[$0].contains("SharedKeys") }) { continue }
            let lost = expected.filter { id, json in
                found[id] != json && !damaged.contains { texts[$0].contains(id) }
            }
            #expect(
                lost.isEmpty,
                "seed \(seed), place \(place), pages \(damaged): \(lost.keys.sorted().prefix(5)) \(report.losses.prefix(5))"
            )
        }
    }

    @Test("the documents that were on a damaged page are named, and each damaged page is reported once", arguments: [false, true])
    func named(encrypted: Bool) throws {
        let options = DamagedDatabases.options(encrypted: encrypted)
        let (database, expected) = try DamagedDatabases.make(options)
        let keys = try options.key.map { try EncryptedFileSystem(opening: database.path.sqliteFile, with: $0).keys }
        let pages = try PageFile(database.path.sqliteFile, log: "", keys: keys)
        // The first byte of a page tells its kind: 13 is a page with rows.
        let rows = (1...pages.pageCount).filter { number in
            guard let page = pages.page(number), page[0] == 13 else { return false }
            return String(decoding: page, as: UTF8.self).contains("document-1")
        }
        let damaged = Set(rows.dropFirst(3).prefix(2))
        for page in damaged {
            try DamagedDatabases.overwrite(page: page, of: database.path, encrypted: encrypted, with: [UInt8](repeating: 0, count: 4096))
        }
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(database.path, to: made, options: options)
        let found = try documents(of: made, options)
        let lost = Set(expected.keys).subtracting(found.keys)
        #expect(lost.count > 10 && damaged.count == 2)
        let losses = report.losses.filter { !$0.isNote }
        #expect(Set(losses.map(\.subject)) == Set(lost.map { "_default._default/\($0)" }), "\(report.losses)")
        #expect(losses.count == lost.count && report.lossCount == lost.count)
        let notes = report.losses.filter(\.isNote).map(\.subject).filter { $0.hasPrefix("page ") }
        #expect(notes.sorted() == damaged.map { "page \($0)" }.sorted(), "\(report.losses)")
        // The same is found without a copy.
        let check = try BundleChecker.check(database.path.directory, options: options)
        #expect(Set(check.findings.filter { $0.kind == .document }.map(\.subject)).isSuperset(of: lost.map { "_default._default/\($0)" }))
    }

    @Test("nothing is lost with a page that only leads to others")
    func interiorPage() throws {
        let (database, expected) = try DamagedDatabases.make(.init())
        let connection = try Connection(path: database.path.sqliteFile, mode: .readOnly)
        let root = Int(try #require(try connection.scalar("SELECT rootpage FROM sqlite_master WHERE name = 'kv_default'")))
        try connection.close()
        try DamagedDatabases.overwrite(page: root, of: database.path, encrypted: false, with: [UInt8](repeating: 0xA5, count: 4096))
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(database.path, to: made, options: .init())
        #expect(try documents(of: made, .init()) == expected)
        #expect(report.lossCount == 0, "\(report.losses)")
        #expect(report.losses.map(\.message) == ["page \(root) is damaged; all its documents were found"], "\(report.losses)")
    }

    @Test("what was committed to the write-ahead log only is recovered", arguments: [false, true])
    func log(encrypted: Bool) throws {
        let options = DamagedDatabases.options(encrypted: encrypted)
        let database = try TestDatabase(options: options)
        for number in 0..<50 { try database.save("doc \(number)", #"{"n":\#(number)}"#) }
        // The files of a process that was killed: the log was not checkpointed.
        let copy = BundlePath(database.directory.path("copy.cblite2"))
        try FileManager.default.copyItem(atPath: database.path.directory, toPath: copy.directory)
        try database.close()
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(copy, to: made, options: options)
        #expect(report.lossCount == 0, "\(report.losses)")
        #expect(try documents(of: made, options).count == 50)
    }

    @Test("random bytes in place of a database neither trap nor hang, and a wrong key is an error")
    func garbage() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let bundle = BundlePath(directory.path("garbage.cblite2"))
        try FileManager.default.createDirectory(atPath: bundle.directory, withIntermediateDirectories: true)
        for round in 0..<30 {
            var bytes = (0..<Int.random(in: 0...40_000, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if round % 2 == 0 { bytes = Array("SQLite format 3\0".utf8) + [0x10, 0x00] + bytes }
            try Data(bytes).write(to: URL(fileURLWithPath: bundle.sqliteFile))
            let made = BundlePath(directory.path("made \(round).cblite2"))
            let report = try Salvage.copy(bundle, to: made, options: .init())
            #expect(report.contents.documents == 0 && report.lossCount > 0, "seed \(seed)")
        }
        let (database, _) = try DamagedDatabases.make(.key(.test(1)))
        let made = BundlePath(database.directory.path("made.cblite2"))
        #expect(throws: StoreError.self) { try Salvage.copy(database.path, to: made, options: .key(.test(2))) }
        #expect(throws: StoreError.self) { try Salvage.copy(database.path, to: made, options: .init()) }
        #expect(!FileManager.default.fileExists(atPath: made.directory))
    }

    @Test("rows whose overflow pages form circles do not make reading endless")
    func circularOverflow() throws {
        let directory = try TemporaryDirectory()
        let bundle = BundlePath(directory.path("circle.cblite2"))
        try FileManager.default.createDirectory(atPath: bundle.directory, withIntermediateDirectories: true)
        let pageCount = 3_000
        var bytes = [UInt8](repeating: 0, count: pageCount * 4096)
        func put(_ new: [UInt8], at offset: Int) { bytes.replaceSubrange(offset..<offset + new.count, with: new) }
        put(Array("SQLite format 3\0".utf8) + [0x10, 0x00], at: 0)
        // Page 1 lists the table kv_default, whose root, page 2, is no page of a table, so that all pages are searched.
        let record: [UInt8] = [6, 23, 33, 33, 1, 0] + Array("tablekv_defaultkv_default".utf8) + [2]
        let cell = [UInt8(record.count), 1] + record
        put([13, 0, 0, 0, 1, 0, 0, 0, 0x0F, 0x00], at: 100)
        put(cell, at: 0x0F00)
        // Page 3 is an overflow page that leads to itself. All others have eight rows that begin in them and go on there.
        put([0, 0, 0, 3], at: 2 * 4096)
        for page in 3..<pageCount {
            let start = page * 4096
            put([13, 0, 0, 0, 8, 0, 0, 0], at: start)
            for row in 0..<8 {
                let offset = 100 + row * 499
                put([UInt8(offset >> 8), UInt8(offset & 0xFF)], at: start + 8 + 2 * row)
                // A payload of 11,998,233 bytes, of which 489 are in the page.
                put([0x85, 0xDC, 0xA8, 0x19, UInt8(row + 1)], at: start + offset)
                put([0, 0, 0, 3], at: start + offset + 5 + 489)
            }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: bundle.sqliteFile))
        let report = try Salvage.copy(bundle, to: BundlePath(directory.path("made.cblite2")), options: .init())
        #expect(report.contents.documents == 0 && report.lossCount > 0)
    }
}
