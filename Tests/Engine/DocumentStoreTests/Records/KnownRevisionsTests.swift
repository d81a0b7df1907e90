import Fleece
import Testing

@testable import DocumentStore

@Suite("Revisions known at remotes")
struct KnownRevisionsTests {
    private static let own = "00 80c495babeb10c 80"
    private static let remoteVersion = "00 80c495babeb10c 90 000102030405060708090a0b0c0d0e0f"
    /// {"n": 1}
    private static let body = "7001 416e 0001 8003"

    /// Encodes the column `extra` without external pointers.
    private func extra(_ write: (inout Encoder) -> Void) throws -> String {
        var encoder = Encoder()
        encoder.beginArray()
        write(&encoder)
        encoder.endArray()
        return (KnownRevisions.mark + (try encoder.finishedBytes())).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func writeItem(_ encoder: inout Encoder, _ version: String?, n: Int64? = nil, flags: Int64? = nil) {
        encoder.beginDictionary()
        if let n {
            encoder.writeKey(".")
            encoder.beginDictionary()
            encoder.writeKey("n")
            encoder.write(n)
            encoder.endDictionary()
        }
        if let version {
            encoder.writeKey("@")
            hex(version).withUnsafeBytes { encoder.write(data: $0) }
        }
        if let flags {
            encoder.writeKey("&")
            encoder.write(flags)
        }
        encoder.endDictionary()
    }

    @Test("a record without revisions at remotes has only the current one")
    func currentOnly() throws {
        let database = try TestDatabase.withRecord(version: Self.own, body: Self.body, extra: nil)
        let known = try database.knownRevisions(of: "a")
        #expect(known.remotes.isEmpty && known.legacy == nil && known.conflicting == nil)
        #expect(try known.current.json(.empty) == #"{"n":1}"#)
        #expect(try database.collection().document("a")?.revision.description == "18c5f3a2b1000000@*")
        #expect(try database.collection().history(of: "a")?.map(\.description) == ["18c5f3a2b1000000@*"])
    }

    @Test("a record without a body is a document without properties")
    func noBody() throws {
        let database = try TestDatabase.withRecord(version: Self.own, body: nil, extra: nil)
        #expect(try database.knownRevisions(of: "a").current.json(.empty) == "{}")
        #expect(try database.json("a") == "{}")
        #expect(try BundleChecker(database.file).check().findings.isEmpty)
    }

    @Test("the revisions in data without external pointers are read, and an item of the local revision is not needed")
    func selfContained() throws {
        let extra = try extra { encoder in
            encoder.writeNull()
            writeItem(&encoder, Self.remoteVersion, n: 2, flags: 6)
            encoder.writeNull()
            writeItem(&encoder, "02 ab", n: 3)
            writeItem(&encoder, "01 cd")
            writeItem(&encoder, "02 ef", flags: 1)
        }
        let database = try TestDatabase.withRecord(flags: 6, version: Self.own, body: Self.body, extra: extra)
        let known = try database.knownRevisions(of: "a")
        #expect(known.remotes.keys.sorted() == [1, 3, 4, 5])
        #expect(known.remotes[1]?.flags == [.conflicted, .hasAttachments])
        #expect(try known.remotes[1]?.json(.empty) == #"{"n":2}"#)
        #expect(try known.remotes[3]?.json(.empty) == #"{"n":3}"#)
        #expect(known.remotes[3]?.lineage.id == .tree(.of("2-ab")))
        // Only the ID of this one is known. A tombstone has no properties.
        #expect(known.remotes[4]?.body == nil)
        #expect(try known.remotes[5]?.json(.empty) == "{}")

        let collection = try database.collection()
        let conflict = try #require(try collection.conflict(in: "a"))
        #expect(conflict.remote.id == known.remotes[1]?.lineage.id)
        // The times are equal, so the sources decide.
        let own = try #require(try database.file.publicUUID().flatMap { SourceID($0) })
        #expect(conflict.prefersLocal == (own > (exampleSources["S"] ?? .me)))
        let list = try #require(try collection.revisions(of: "a"))
        #expect(list.map(\.remotes) == [[], [1], [3], [4], [5]])
        #expect(list.map(\.isConflict) == [false, true, false, false, false])
        #expect(try collection.revision(.tree(.of("2-ab")), of: "a")?.history.isEmpty == true)
        #expect(try collection.revision(.tree(.of("1-cd")), of: "a") == nil)
        #expect(try collection.change(of: "a", remote: 3)?.remoteAncestor == .tree(.of("2-ab")))
        #expect(try collection.change(of: "a", remote: 2)?.remoteAncestor == nil)
        #expect(try collection.change(of: "a", remote: 9)?.remoteAncestor == nil)
    }

    @Test("the flag of a pushed revision means that the first remote has it")
    func synced() throws {
        let extra = try extra { encoder in
            encoder.writeNull()
            writeItem(&encoder, "02 ab", n: 2)
        }
        let database = try TestDatabase.withRecord(flags: 8, version: Self.own, body: Self.body, extra: extra)
        let known = try database.knownRevisions(of: "a")
        #expect(known.remotes[1]?.lineage.id == known.current.lineage.id)
        #expect(try database.collection().change(of: "a", remote: 1)?.remoteAncestor == known.current.lineage.id)
        #expect(try database.collection().revisions(of: "a")?.map(\.remotes) == [[1]])
    }

    @Test("a revision of a tree without its tree is read with what is known at remotes, or alone")
    func treeRevisions() throws {
        let extra = try extra { encoder in
            encoder.writeNull()
            writeItem(&encoder, Self.remoteVersion, n: 2)
        }
        for extra in [extra, nil] {
            let database = try TestDatabase.withRecord(version: "02 ab", body: Self.body, extra: extra)
            #expect(try database.knownRevisions(of: "a").current.lineage == .tree(.of("2-ab")))
            #expect(try database.knownRevisions(of: "a").remotes.count == (extra == nil ? 0 : 1))
            #expect(try BundleChecker(database.file).check().findings.isEmpty)
        }
    }

    @Test(
        "damaged data is an error of its document with the reason",
        arguments: [
            ("00", nil, "a time is invalid"), ("00 80c495babeb10c 20", nil, "the ID of a database is invalid"),
            (own, "000000", "they have no mark"), (own, "01020304", "they have no mark"), (own, "00000000", "no valid root"),
            (own, "00000000 7000 8001", "they are not an array"), (own, "00000000 6001 0005 8002", "an item is not a dictionary"),
            (own, "00000000 6002 3000 7000 8003", "a revision has no ID, of remote 1"),
            ("02 ab", "00000000 6002 3000 7000 8003", "a revision has no ID, of remote 1"),
            (own, "00000000 5200 ff00 7001 417e 8004 6001 8004 8002", "the last revision of the tree is invalid"),
            (own, "00000000 5105 7001 4140 8003 6002 3000 8005 8003", "its revision ID is invalid, of remote 1"),
            (own, "00000000 5202 ab00 7002 412e 0001 4140 8006 6002 3000 8007 8003", "the properties are not a dictionary, of remote 1"),
        ] as [(String, String?, String)]
    )
    func damaged(_ version: String, _ extra: String?, _ reason: String) throws {
        let database = try TestDatabase.withRecord(version: version, body: Self.body, extra: extra)
        let error = #expect(throws: StoreError.self) { try database.knownRevisions(of: "a") }
        guard case .corruptDocument("a", let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains(reason), "\(message)")
        #expect(try BundleChecker(database.file).check().findings.count == 1)
    }
}
