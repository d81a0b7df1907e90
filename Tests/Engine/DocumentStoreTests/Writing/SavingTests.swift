import Fleece
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Saving documents")
struct SavingTests {
    // MARK: Bases

    @Test(
        "a new document gets generation 1 and the next sequence, whether or not the caller expects that it exists",
        arguments: [false, true]
    )
    func new(_ isLikelyStored: Bool) throws {
        let database = try TestDatabase()
        let collection = try database.collection()
        try database.file.transaction { writer in
            for (number, base) in [DocumentSave.Base.none, .latest].enumerated() {
                let save = DocumentSave("d\(number)", base: base, isLikelyStored: isLikelyStored)
                let outcome = try collection.save(save, #"{"n":1}"#, in: writer)
                #expect(outcome.revision?.generation == 1)
                #expect(outcome.sequence == UInt64(number + 1))
            }
            let revision = DocumentSave("d9", base: .revision(.of("1-ab")), isLikelyStored: isLikelyStored)
            #expect(try collection.save(revision, "{}", in: writer) == .missing)
            let deletion = DocumentSave("d9", base: .latest, isDeleted: true, isLikelyStored: isLikelyStored)
            #expect(try collection.save(deletion, "{}", in: writer) == .missing)
        }
        #expect(try collection.count() == 2)
        try database.checkAndClose()
    }

    @Test("a live document can be changed only with its current revision or latest as the base")
    func live() throws {
        let database = try TestDatabase()
        let first = try #require(try database.save("a", #"{"n":1}"#).revision)
        #expect(try database.save("a", #"{"n":2}"#, base: .none) == .conflict)
        #expect(try database.save("a", #"{"n":2}"#, base: .revision(.of("1-ab"))) == .conflict)
        #expect(try database.delete("a", base: .none) == .conflict)
        #expect(try database.delete("a", base: .revision(.of("1-ab"))) == .conflict)
        let second = try #require(try database.save("a", #"{"n":2}"#, base: .revision(first)).revision)
        #expect(second.generation == 2)
        #expect(try database.save("a", #"{"n":3}"#, base: .revision(first)) == .conflict)
        #expect(try database.save("a", #"{"n":3}"#, base: .latest).sequence == 3)
        #expect(try database.json("a") == #"{"n":3}"#)
        #expect(try database.collection().lastSequence() == 3)
        try database.checkAndClose()
    }

    @Test("a tombstone can be succeeded by a live revision; another deletion succeeds it only if its revision is known")
    func deleted() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        let tombstone = try #require(try database.delete("a").revision)
        #expect(tombstone.generation == 2)
        #expect(try database.json("a") == nil)
        for base in [DocumentSave.Base.none, .latest, .latestKnowing(.of("1-ab"))] {
            #expect(try database.delete("a", base: base) == .alreadyDeleted(tombstone, sequence: 2))
        }
        #expect(try database.delete("a", base: .revision(.of("1-ab"))) == .conflict)
        let second = try #require(try database.delete("a", base: .revision(tombstone)).revision)
        let last = try #require(try database.delete("a", base: .latestKnowing(second)).revision)
        #expect(last.generation == 4)
        #expect(try database.delete("a", base: .latestKnowing(second)) == .alreadyDeleted(last, sequence: 4))
        #expect(try database.save("a", #"{"n":2}"#, base: .revision(.of("1-ab"))) == .conflict)
        let third = try #require(try database.save("a", #"{"n":2}"#, base: .none).revision)
        #expect(third.generation == 5)
        let fourth = try #require(try database.delete("a", base: .revision(third)).revision)
        #expect(try database.save("a", #"{"n":3}"#, base: .revision(fourth)).revision?.generation == 7)
        #expect(try database.json("a") == #"{"n":3}"#)
        try database.checkAndClose()
    }

    @Test("the same changes in two databases give the same revision IDs")
    func deterministic() throws {
        let revisions = try (0..<2).map { _ in
            let database = try TestDatabase()
            try database.save("a", #"{"n":1,"list":[1,2.5,"x",null,true]}"#)
            try database.save("a", #"{"n":2}"#)
            try database.delete("a")
            return try database.collection().history(of: "a")
        }
        #expect(revisions[0] == revisions[1])
        #expect(revisions[0]?.count == 3)
    }

    // MARK: Rows

    @Test("a saved row has the columns of the 3.x layout")
    func layout() throws {
        let database = try TestDatabase()
        let revision = try #require(try database.save("a", #"{"name":"Ann"}"#).revision)
        #expect(revision == .tree(RevisionTreeCodingTests.first))
        #expect(try database.text("SELECT hex(body) FROM kv_default") == "43416E6E7001000080048003")
        #expect(
            try database.text("SELECT hex(extra) FROM kv_default")
                == "0000001EFFFF0215016D60DFC18B493F408915AB4C3F92BC45700840290000000000"
        )
        #expect(try database.scalar("SELECT flags FROM kv_default") == 0)
        #expect(try database.save("a", #"{"name":"Bob"}"#).revision == .tree(RevisionTreeCodingTests.second))
        #expect(
            try database.text("SELECT hex(extra) FROM kv_default")
                == "0000001E00010215" + "02826D806217508838CDFEE7E9E3B72900175DC85F00"
                + "0000001EFFFF0015" + "016D60DFC18B493F408915AB4C3F92BC457008402901" + "00000000"
        )
        try database.checkAndClose()
    }

    @Test("the body of a pushed revision is kept, and its mark is moved into the tree")
    func synced() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        try database.sql("UPDATE kv_default SET flags = (flags + 65536) | 8")
        #expect(try database.collection().document("a")?.flags == .synced)
        try database.save("a", #"{"n":2}"#)
        try database.save("a", #"{"n":3}"#)
        let tree = try database.tree(of: "a")
        #expect(tree.remotes == [1: 2])
        #expect(tree.revisions.map { $0.body != nil } == [true, false, true])
        #expect(tree.revisions[2].flags == .keepBody)
        #expect(try database.scalar("SELECT flags FROM kv_default") == 0)
        try database.checkAndClose()
    }

    @Test("a branch keeps fifty revisions, or the number set in the database", arguments: [nil, 3] as [UInt64?])
    func pruning(_ depth: UInt64?) throws {
        let database = try TestDatabase()
        if let depth {
            try database.file.transaction { writer in
                try InfoStore.set(InfoStore.maximumTreeDepth, to: InfoStore.encode(depth), on: writer.connection)
            }
            try database.reopen()
        }
        for number in 0..<60 { try database.save("a", #"{"n":\#(number)}"#) }
        let history = try #require(try database.collection().history(of: "a"))
        #expect(history.count == Int(depth ?? 50))
        #expect(history.first?.generation == 60)
        try database.checkAndClose()
    }

    @Test("deleting the winner of a conflict promotes the other branch with its body")
    func conflict() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        let body = try JSONBody(#"{"n":99}"#, database)
        try database.editTree(of: "a") { tree in
            _ = tree.append(.of("1-00"), parent: nil, flags: [], body: body.bytes)
        }
        #expect(try database.collection().document("a")?.flags == .conflicted)
        try database.delete("a")
        let document = try #require(try database.collection().document("a"))
        #expect(document.revision == .of("1-00"))
        #expect(document.flags == [])
        #expect(try database.json("a") == #"{"n":99}"#)
        try database.delete("a")
        #expect(try database.json("a") == nil)
        try database.checkAndClose()
    }

    @Test("deleting the winner leaves a tombstone while the other branch is an unresolved conflict")
    func unresolvedConflict() throws {
        let database = try TestDatabase()
        try database.save("a", #"{"n":1}"#)
        let body = try JSONBody(#"{"n":99}"#, database)
        try database.editTree(of: "a") { tree in _ = tree.insert(history: [.of("1-00")], flags: [], body: body.bytes) }
        try database.delete("a")
        #expect(try database.collection().document("a", includingDeleted: true)?.flags == [.deleted, .conflicted])
        try database.checkAndClose()
    }

    @Test("a document in the 2.x layout is written in the 3.x layout when it is changed")
    func oldLayout() throws {
        let database = try TestDatabase { try OldFile.make(302, at: $0) }
        #expect(try database.scalar("SELECT extra IS NULL FROM kv_default") == 1)
        try database.save("old", #"{"n":1}"#, base: .revision(.of("1-0123456789abcdef0123456789abcdef")))
        #expect(try database.scalar("SELECT extra IS NULL FROM kv_default") == 0)
        #expect(try database.tree(of: "old").revisions.map(\.sequence) == [2, 1])
        try database.checkAndClose()
    }

    // MARK: Properties and names

    @Test("reserved properties are rejected at the top level only", arguments: ["_id", "_rev", "_deleted"])
    func reservedKeys(_ key: String) throws {
        let database = try TestDatabase()
        for _ in 0..<2 {
            #expect(throws: StoreError.reservedKey(key, documentID: "a")) { try database.save("a", #"{"\#(key)":1}"#) }
        }
        try database.save("a", #"{"x":{"\#(key)":1},"_other":2}"#)
        #expect(try database.collection().count() == 1)
        try database.checkAndClose()
    }

    @Test("reserved properties are also rejected when the list of shared keys is full")
    func reservedKeysWhenFull() throws {
        let database = try TestDatabase()
        let keys = (0..<SharedKeys.capacity).map { #""k\#($0)":0"# }.joined(separator: ",")
        try database.save("a", "{\(keys)}")
        #expect(throws: StoreError.reservedKey("_id", documentID: "b")) { try database.save("b", #"{"_id":1}"#) }
        try database.save("b", #"{"unshared":1}"#)
        #expect(try database.json("b") == #"{"unshared":1}"#)
        try database.checkAndClose()
    }

    @Test("invalid document IDs are rejected", arguments: ["", "_a", "a\u{0}", "a\nb", "\u{7F}"])
    func invalidIDs(_ id: String) throws {
        let database = try TestDatabase()
        #expect(throws: StoreError.invalidDocumentID(id)) { try database.save(id, "{}") }
    }

    @Test("a document ID has at most 240 bytes of UTF-8")
    func longIDs() throws {
        let database = try TestDatabase()
        for longest in [String(repeating: "x", count: 240), String(repeating: "é", count: 120)] {
            try database.save(longest, "{}")
            #expect(throws: StoreError.invalidDocumentID(longest + "x")) { try database.save(longest + "x", "{}") }
            #expect(try database.collection().document(longest)?.id == longest)
        }
        try database.checkAndClose()
    }

    @Test("generated document IDs are valid, unique, and of one length")
    func generatedIDs() {
        let ids = Set((0..<1000).map { _ in DocumentIdentifier.generate() })
        #expect(ids.count == 1000)
        #expect(ids.allSatisfy { $0.utf8.count == 23 && DocumentIdentifier.isValid($0) })
    }
}
