import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

/// Databases whose page 1, on which the list of tables begins, is overwritten.
@Suite("Collections of databases without page 1")
struct LostTablesTests {
    private typealias Contents = [String: [String: String]]
    private static let options = DamagedDatabases.options

    /// A database with three collections in two scopes besides the default one, closed.
    ///
    /// - Parameters:
    ///   - counts: The numbers of documents of the collections that exist.
    ///   - hasLongList: Whether the list of tables is longer than page 1.
    private func make(_ options: DatabaseFile.Options, _ counts: [Int], hasLongList: Bool) throws -> (TestDatabase, Contents) {
        let names = try [
            CollectionID.default, CollectionID(name: "Hotels", scope: "travel"), CollectionID(name: "airports", scope: "travel"),
            CollectionID(name: "people"),
        ]
        let database = try TestDatabase(options: options)
        var contents: Contents = [:]
        for (id, count) in zip(names, counts) {
            let collection = id.isDefault ? try database.collection() : try database.file.createCollection(id)
            // The same IDs in each collection: the documents must not replace each other.
            try database.file.transaction { writer in
                for number in 0..<count {
                    let json = #"{"n":\#(number),"of":"\#(id.fullName)"}"#
                    try collection.save(DocumentSave("doc \(number)", base: .latest), json, hasBlobs: false, in: writer)
                    contents[id.fullName, default: [:]]["doc \(number)"] = json
                }
            }
            try database.delete("doc 1", in: id)
            contents[id.fullName]?["doc 1"] = nil
        }
        try database.close()
        if hasLongList {
            let connection = try Connection(
                path: database.path.sqliteFile,
                mode: .readWrite,
                encryption: try options.key.map { try EncryptedFileSystem(opening: database.path.sqliteFile, with: $0) }
            )
            for number in 0..<12 { try connection.execute(Schema.createTable("kv_other\(number)")) }
            try connection.close()
        }
        return (database, contents)
    }

    private func overwrite(_ bundle: BundlePath, encrypted: Bool) throws {
        try DamagedDatabases.overwrite(page: 1, of: bundle, encrypted: encrypted, with: [UInt8](repeating: 0xA5, count: 4096))
    }

    private func contents(of bundle: BundlePath, _ options: DatabaseFile.Options) throws -> Contents {
        let file = try DatabaseRegistry.open(bundle.directory, options: options)
        defer { try? DatabaseRegistry.close(file) }
        var found: Contents = [:]
        for id in try file.collectionIDs() {
            try file.collection(id)?.forEachDocument { document in
                found[id.fullName, default: [:]][document.id] = try document.canonicalJSON()
                return true
            }
        }
        return found
    }

    @Test("the names of all collections are found in a list of tables that is longer than page 1", arguments: [false, true])
    func longList(encrypted: Bool) throws {
        let options = Self.options(encrypted)
        let (database, expected) = try make(options, [30, 30, 30, 30], hasLongList: true)
        try overwrite(database.path, encrypted: encrypted)
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(database.path, to: made, options: options)
        #expect(try contents(of: made, options) == expected)
        #expect(report.contents.tombstones == 4)
        #expect(report.losses.contains { $0.isNote && $0.message.contains("rows of the list of tables were found") }, "\(report.losses)")
        let result = try BundleChecker.check(database.path.directory, options: options)
        #expect(result.documents == 4 * 29)
        #expect(result.tombstones == 4)
    }

    @Test("the trees of a list of tables that was on page 1 only get their names by their last sequences", arguments: [false, true])
    func shortList(encrypted: Bool) throws {
        let options = Self.options(encrypted)
        let (database, expected) = try make(options, [30, 40, 50], hasLongList: false)
        try overwrite(database.path, encrypted: encrypted)
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(database.path, to: made, options: options)
        #expect(try contents(of: made, options) == expected, "\(report.losses)")
        #expect(report.contents.tombstones == 3)
        #expect(!report.losses.contains { $0.message.contains("name") && !$0.isNote }, "\(report.losses)")
        let result = try BundleChecker.check(database.path.directory, options: options)
        #expect(result.collections == 3)
        #expect(result.findings.contains { $0.message.contains("travel.Hotels were recognized by their last sequence") })
    }

    @Test("collections that cannot be told apart are kept apart under the numbers of their pages", arguments: [false, true])
    func sameSequences(encrypted: Bool) throws {
        let options = Self.options(encrypted)
        let (database, expected) = try make(options, [30, 30, 30], hasLongList: false)
        try overwrite(database.path, encrypted: encrypted)
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(database.path, to: made, options: options)
        let found = try contents(of: made, options)
        #expect(found["_default._default"] == expected["_default._default"])
        #expect(found.filter { $0.key.hasPrefix("_default.recovered-") }.count == 2, "\(found.keys)")
        #expect(Set(found.values.map { $0["doc 2"] ?? "" }) == Set(expected.values.map { $0["doc 2"] ?? "" }))
        #expect(report.contents.documents == 3 * 29)
        #expect(report.contents.tombstones == 3)
        let messages = report.losses.filter { !$0.isNote }.map(\.message)
        #expect(messages.count { $0.contains("may be those of travel.Hotels, travel.airports") } == 2, "\(messages)")
    }

    @Test("the names are found in a copy of page 1 in the write-ahead log", arguments: [false, true])
    func log(encrypted: Bool) throws {
        let options = Self.options(encrypted)
        let (database, expected) = try make(options, [30, 30, 30], hasLongList: false)
        try database.reopen(options: options)
        // Page 1 is written when a table is created.
        _ = try database.file.createCollection(CollectionID(name: "later"))
        // The files of a process that was killed: the log was not copied to the database.
        let copy = BundlePath(database.directory.path("copy.cblite2"))
        try FileManager.default.copyItem(atPath: database.path.directory, toPath: copy.directory)
        try database.close()
        try overwrite(copy, encrypted: encrypted)
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(copy, to: made, options: options)
        #expect(try contents(of: made, options) == expected, "\(report.losses)")
        #expect(report.lossCount == 0, "\(report.losses)")
    }

    @Test("the names are found in an old copy of page 1 behind the end of the log", arguments: [false, true])
    func oldCopy(encrypted: Bool) throws {
        let options = Self.options(encrypted)
        let (database, expected) = try make(options, [30, 30, 30], hasLongList: false)
        try database.reopen(options: options)
        _ = try database.file.createCollection(CollectionID(name: "later"))
        let copy = BundlePath(database.directory.path("copy.cblite2"))
        try FileManager.default.copyItem(atPath: database.path.directory, toPath: copy.directory)
        try database.close()
        // Another salt in the header ends the log before its first frame, as when the log is used from its beginning again.
        let path = encrypted ? copy.encryptedLog : copy.writeAheadLog
        try FileManager.default.removeItem(atPath: copy.sqliteFile)
        try FileManager.default.copyItem(atPath: database.path.sqliteFile, toPath: copy.sqliteFile)
        let log = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try log.seek(toOffset: 16)
        try log.write(contentsOf: Data(repeating: 0x77, count: 8))
        try log.close()
        try overwrite(copy, encrypted: encrypted)
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(copy, to: made, options: options)
        #expect(try contents(of: made, options) == expected, "\(report.losses)")
    }

    @Test("the pages that SQLite has released are not searched for documents")
    func releasedPages() throws {
        let database = try TestDatabase()
        for number in 0..<400 { try database.save("doc \(number)", #"{"text":"\#(String(repeating: "x", count: 200))"}"#) }
        for number in 100..<400 { try database.purge("doc \(number)") }
        try database.close()
        try overwrite(database.path, encrypted: false)
        let made = BundlePath(database.directory.path("made.cblite2"))
        let report = try Salvage.copy(database.path, to: made, options: .init())
        #expect(report.contents.documents == 100)
    }
}
