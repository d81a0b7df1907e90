import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Encoding of revisions known at remotes")
struct KnownRevisionsEncodingTests {
    @Test("the columns of records of the original are encoded byte for byte", arguments: ["v4.0-fresh", "v4.0-upgraded"])
    func fixtures(_ name: String) throws {
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        let database = try TestDatabase(fixture: name, options: options)
        var count = 0
        for id in try database.file.collectionIDs() {
            let collection = try database.collection(id)
            try collection.forEachDocument(includingDeleted: true) { record in
                let row = try database.row(of: record.id, in: id)
                // A mark stands for what is known of the first remote, and becomes an item when the record is encoded.
                guard !row.hasTree, !row.flags.contains(.synced) else { return true }
                let known = try row.knownRevisions()
                let columns = try known.columns(of: record.id)
                #expect(columns.version == row.lineage.binary, "\(record.id)")
                // An empty document has no body there, and an empty dictionary here.
                #expect(columns.body ?? [] == (record.id == "empty" ? [0x70, 0x00] : row.body), "\(record.id)")
                // The original has written the pulled properties twice. Here a pointer leads to those of the current revision.
                #expect(columns.extra == row.extra || record.id == "pulled" && name == "v4.0-fresh", "\(record.id)")
                #expect(known.recordFlags == row.flags, "\(record.id)")
                count += 1
                return true
            }
        }
        #expect(count > 10)
    }

    @Test("a marked revision is encoded as the one of the first remote")
    func marked() throws {
        let database = try TestDatabase.withRecord(flags: 8, version: "00 80c495babeb10c 80", body: "7001 416e 0001 8003", extra: nil)
        let known = try database.knownRevisions(of: "a")
        let columns = try known.columns(of: "a")
        #expect(known.recordFlags == [])
        let again = try TestDatabase.withRecord(version: columns.version.text, body: columns.body?.text, extra: columns.extra?.text)
        #expect(try again.knownRevisions(of: "a").remotes[1]?.lineage == known.current.lineage)
    }

    @Test("random revisions are decoded as they were encoded")
    func random() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let database = try TestDatabase()
        var written: [String: KnownRevisions] = [:]
        for index in 0..<60 {
            let known = try Self.random(&generator)
            let columns = try known.columns(of: "\(index)")
            try database.addRecord(
                "\(index)",
                sequence: index + 1,
                flags: Int(known.recordFlags.rawValue),
                version: columns.version.text,
                body: columns.body?.text,
                extra: columns.extra?.text
            )
            written["\(index)"] = known
        }
        try database.setVersionVectors()
        for (id, known) in written {
            let row = try database.row(of: id)
            let decoded = try row.knownRevisions()
            #expect(decoded.current.lineage == known.current.lineage && decoded.legacy == known.legacy)
            #expect(decoded.remotes.keys.sorted() == known.remotes.keys.sorted())
            #expect(try decoded.current.json(.empty) == known.current.json(.empty))
            for (remote, revision) in known.remotes {
                #expect(decoded.remotes[remote]?.lineage == revision.lineage)
                #expect(decoded.remotes[remote]?.flags == revision.flags)
                #expect(try decoded.remotes[remote]?.json(.empty) == revision.json(.empty))
            }
            #expect(try decoded.columns(of: id).extra == row.extra)
        }
        #expect(try BundleChecker(database.file).check().findings.map { "\($0)" } == [])
    }

    private static func random(_ generator: inout SeededGenerator) throws -> KnownRevisions {
        func lineage() throws -> Lineage {
            if Int.random(in: 0..<4, using: &generator) == 0 {
                let digest = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                let id = digest.withUnsafeBytes { TreeRevisionID(generation: UInt64.random(in: 1...300, using: &generator), digest: $0) }
                return .tree(try #require(id))
            }
            let letters = "*SEIMD".shuffled(using: &generator).prefix(Int.random(in: 1...5, using: &generator))
            let versions = letters.map {
                Version(existing: UInt64.random(in: 1 << 40...1 << 61, using: &generator), exampleSources[$0] ?? .me)
            }
            let vector = try VersionVector(checking: versions, currentCount: Int.random(in: 1...versions.count, using: &generator))
            return .vector(vector, current: versions[0])
        }
        func body() throws -> [UInt8] {
            let names = ["Ann", "Hal", "a longer text than strings that are shared", "Zo"]
            let json = (0..<Int.random(in: 0...4, using: &generator)).map { index in
                let name = names.randomElement(using: &generator) ?? ""
                return "\"key\(index)\":" + (Bool.random(using: &generator) ? "\"\(name)\"" : "[{\"x\":\"\(name)\",\"n\":123456}]")
            }
            let data = try JSON.fleece("{\(json.joined(separator: ","))}")
            return withExtendedLifetime(data) { Array(data.bytes) }
        }
        var known = KnownRevisions(current: KnownRevision(lineage: try lineage(), flags: [], body: try body()), sequence: 1)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            var revision =
                Bool.random(using: &generator) ? known.current : KnownRevision(lineage: try lineage(), flags: [], body: try body())
            revision.flags = .init(rawValue: UInt8.random(in: 0...7, using: &generator))
            // Of a tombstone it is not stored whether only its ID is known.
            if !revision.flags.contains(.deleted), Int.random(in: 0..<4, using: &generator) == 0 { revision.body = nil }
            known.remotes[UInt16.random(in: 1...6, using: &generator)] = revision
        }
        if Bool.random(using: &generator) { known.legacy = .of("2-ab") }
        return known
    }
}

extension [UInt8] {
    /// The hexadecimal digits.
    fileprivate var text: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
