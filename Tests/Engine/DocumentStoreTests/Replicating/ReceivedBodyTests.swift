import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Bodies of received revisions")
struct ReceivedBodyTests {
    @Test("bodies encoded with the same new shared keys are stored with the file's key numbers")
    func keys() throws {
        let database = try TestDatabase()
        try database.save("first", #"{"shared":0}"#)
        let bodies = try [#"{"b":1,"a":{"c":2}}"#, #"{"a":3,"c":{"b":4}}"#, #"{"shared":5}"#].map(database.body)
        let collection = try database.collection()
        try database.file.transaction { writer in
            for (number, body) in bodies.enumerated() {
                let revision = ReceivedRevision(documentID: "\(number)", revision: .of("1-aa"), body: body)
                let outcome = try collection.insert(revision, remote: 1, in: writer)
                #expect(outcome.isConflict == false)
            }
        }
        #expect(try database.json("0") == #"{"a":{"c":2},"b":1}"#)
        #expect(try database.json("1") == #"{"a":3,"c":{"b":4}}"#)
        #expect(try database.json("2") == #"{"shared":5}"#)
        #expect(try database.file.sharedKeys.keys == ["shared", "b", "a", "c"])
        try database.checkAndClose()
    }

    @Test("a body with foreign shared keys is stored with the file's key numbers")
    func foreignKeys() throws {
        let database = try TestDatabase()
        let keys = MutableSharedKeys(SharedKeys(["x", "y"]))
        let numbered = try JSON.fleece(#"{"y":1,"z":2}"#, sharedKeys: keys)
        let plain = try JSON.fleece(#"{"y":1,"z":2}"#)
        for (id, body) in [("a", OwnedBody(numbered, keys: keys.snapshot)), ("b", OwnedBody(plain))] {
            try database.receive(ReceivedRevision(documentID: id, revision: .of("1-aa"), body: body))
            #expect(try database.json(id) == #"{"y":1,"z":2}"#)
        }
        let bodies = try database.texts("SELECT hex(body) FROM kv_default")
        #expect(bodies[0] == bodies[1])
        try database.checkAndClose()
    }

    @Test("a body encoded with shared keys that were rolled back is stored with other key numbers")
    func rolledBackKeys() throws {
        struct Stop: Error {}
        let database = try TestDatabase()
        var body: OwnedBody?
        #expect(throws: Stop.self) {
            try database.file.transaction { _ in
                try database.save("a", #"{"gone":1}"#)
                body = try database.body(#"{"gone":1,"new":2}"#)
                throw Stop()
            }
        }
        try database.save("c", #"{"other":1}"#)
        try database.receive(ReceivedRevision(documentID: "b", revision: .of("1-aa"), body: try #require(body)))
        #expect(try database.json("b") == #"{"gone":1,"new":2}"#)
        try database.checkAndClose()
    }

    @Test("received revisions with blobs are flagged, both the first and later ones")
    func blobs() throws {
        let database = try TestDatabase()
        let digest = try database.file.blobs.store(Array("blob".utf8)).string
        let json = #"{"b":{"@type":"blob","digest":"\#(digest)","length":4}}"#
        try database.receive("a", [.of("1-aa")], json)
        try database.receive("b", [.of("1-aa")])
        try database.receive("b", [.of("2-bb"), .of("1-aa")], json)
        for id in ["a", "b"] {
            #expect(try database.change(of: id).hasAttachments)
            #expect(try database.tree(of: id).revisions[0].flags.contains(.hasAttachments))
        }
        try database.receive("a", [.of("2-bb"), .of("1-aa")])
        #expect(try database.change(of: "a").hasAttachments == false)
        try database.checkAndClose()
    }

    @Test("an invalid document ID or a reserved property does not affect the rest of the transaction")
    func refused() throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        let good = ReceivedRevision(documentID: "a", revision: .of("1-aa"), body: try database.body(#"{"n":1}"#))
        let reserved = ReceivedRevision(documentID: "b", revision: .of("1-aa"), body: try database.body(#"{"_id":1}"#))
        let unnamed = ReceivedRevision(documentID: "_b", revision: .of("1-aa"))
        try database.file.transaction { writer in
            #expect(throws: StoreError.reservedKey("_id", documentID: "b")) {
                try collection.insert(reserved, remote: 1, in: writer)
            }
            #expect(throws: StoreError.invalidDocumentID("_b")) {
                try collection.insert(unnamed, remote: 1, in: writer)
            }
            let outcome = try collection.insert(good, remote: 1, in: writer)
            #expect(outcome.isConflict == false)
        }
        #expect(try collection.count() == 1)
        try database.checkAndClose()
    }

    @Test(
        "a history whose generations do not decrease is rejected as invalid",
        arguments: [["2-bb", "2-aa"], ["2-bb", "3-aa"], ["3-cc", "1-aa", "2-bb"], ["3-cc", "3-cc"]]
    )
    func order(_ history: [String]) throws {
        let database = try TestDatabase()
        #expect(try database.receive("a", history.compactMap { RevisionID($0) }) == .invalidHistory)
        try database.save("a", "{}")
        #expect(try database.receive("a", history.compactMap { RevisionID($0) }) == .invalidHistory)
        #expect(try database.change(of: "a").sequence == 1)
    }

    @Test("a long received history is pruned to 50 revisions, for new and for known documents")
    func longHistory() throws {
        let database = try TestDatabase()
        let history = (1...300).reversed().compactMap { RevisionID("\($0)-aa") }
        try database.receive("a", history)
        #expect(try database.collection().history(of: "a") == Array(history.prefix(50)))
        try database.receive("b", Array(history.suffix(10)), #"{"n":1}"#)
        #expect(try database.receive("b", history, #"{"n":2}"#).isConflict == false)
        #expect(try database.collection().history(of: "b") == Array(history.prefix(50)))
        try database.receive("c", Array(history.suffix(10)))
        #expect(try database.receive("c", Array(history.prefix(200))).isConflict == false)
        try database.checkAndClose()
    }
}
