import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("What received revisions consist of")
struct ReceivedBodyTests {
    @Test("bodies that number new keys at the same time are stored with the numbers of the file")
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

    @Test("a body from elsewhere gets the file's numbers")
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

    @Test("a body that was encoded before keys were taken back is stored with other numbers")
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

    @Test("revisions that refer to blobs are marked, first ones and later ones")
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

    @Test("an ID that is no good, or a reserved property, leaves the rest of the transaction alone")
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
        "generations must get lower from each revision to the one before it",
        arguments: [["2-bb", "2-aa"], ["2-bb", "3-aa"], ["3-cc", "1-aa", "2-bb"], ["3-cc", "3-cc"]]
    )
    func order(_ history: [String]) throws {
        let database = try TestDatabase()
        #expect(try database.receive("a", history.compactMap { RevisionID($0) }) == .invalidHistory)
        try database.save("a", "{}")
        #expect(try database.receive("a", history.compactMap { RevisionID($0) }) == .invalidHistory)
        #expect(try database.change(of: "a").sequence == 1)
    }

    @Test("a long history is cut to what a branch keeps, for new documents and for known ones")
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
