import BLIP
import DocumentStore
import Fleece
import SyncCore
import Testing

@testable import Replication

@Suite("Pulled revisions")
struct PulledRevisionTests {
    @Test("a conflicting revision is stored, counts as pulled and is not reported before it is resolved")
    func conflict() throws {
        let pull = try TestPull()
        let local = try pull.replica.save("a", #"{"n":"local"}"#)
        pull.changes(#"[[17,"a","2-cc"]]"#)
        let reply = pull.rev("a", "2-cc", sequence: "17", history: "1-bb", #"{"n":"server"}"#)
        #expect(pull.peer.summary(reply) == "RES")
        #expect(pull.conflicts == ["a"] && pull.ended == [] && pull.progress == ["17"])
        #expect(try pull.json("a") == #"{"n":"local"}"# && pull.revision("a") == local.description)
        #expect(try pull.replica.collection().conflict(in: "a")?.remote.id.description == "2-cc")
        try pull.check()
    }

    @Test("pulled tombstones delete their documents")
    func deletion() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb",1]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"n":1}"#)
        pull.rev("b", "1-bb", sequence: "2", "{}", ["deleted": "1"])
        #expect(pull.changes(#"[[3,"a","2-aa",true]]"#) == #"RES maxHistory=50 blobs=true [["1-aa"]]"#)
        pull.rev("a", "2-aa", sequence: "3", history: "1-aa", "{}", ["deleted": "true"])
        #expect(pull.ended == ["a", "b deleted", "a deleted"])
        #expect(try pull.replica.collection().change(of: "a", remote: nil)?.isDeleted == true)
        #expect(try pull.replica.collection().change(of: "b", remote: nil)?.isDeleted == true)
        try pull.check()
    }

    @Test("the received revision history is stored")
    func history() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","7-ff"]]"#)
        pull.rev("a", "7-ff", sequence: "1", history: "6-ee,5-cc", #"{"n":7}"#)
        let stored = try pull.replica.collection().revision(try #require(RevisionID("7-ff")), of: "a")
        #expect(stored?.history.map(\.description) == ["6-ee", "5-cc"])
    }

    @Test("a replacement revision completes the sequence of the requested revision")
    func replacement() throws {
        let pull = try TestPull()
        pull.changes(#"[["10:8","a","2-bb"]]"#)
        pull.rev("a", "4-dd", sequence: #""10:8""#, history: "3-cc", #"{"n":4}"#, ["replacedRev": "2-bb"])
        #expect(try pull.revision("a") == "4-dd")
        #expect(pull.progress == [#""10:8""#])
    }

    @Test("compound sequences are matched with and without quotes and are saved in their own form")
    func compoundSequences() throws {
        let pull = try TestPull(since: RemoteSequence(json: #""5:1""#))
        pull.changes(#"[["10:8","a","1-aa"],["8::10","b","1-aa"],["12:34:56","c","1-aa"],[90,"d","1-aa"]]"#)
        pull.norev("b", "1-aa", sequence: "8::10")
        pull.rev("c", "1-aa", sequence: #""12:34:56""#)
        pull.rev("d", "1-aa", sequence: "90")
        #expect(pull.progress.isEmpty)
        pull.rev("a", "1-aa", sequence: #""10:8""#)
        #expect(pull.progress == ["90"])
        #expect(pull.puller.isBusy)
        pull.caughtUp()
        #expect(!pull.puller.isBusy)
    }

    @Test("a revision reported with norev counts as pulled and is no error")
    func norev() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        pull.caughtUp()
        pull.norev("a", "1-aa", sequence: "1")
        #expect(pull.progress == ["1"] && pull.ended == [])
        pull.norev("b", "1-bb", sequence: "2", error: "500")
        #expect(pull.progress == ["1", "2"] && !pull.puller.isBusy)
        pull.norev("x", "1-aa", sequence: "77")
        #expect(pull.progress == ["1", "2"])
    }

    @Test("a rev message with an error property reports an error of the document")
    func revisionWithError() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", "", ["error": "500"], isNoReply: true)
        #expect(pull.progress == ["1"] && pull.ended == ["a WebSocket/502"])
    }

    @Test("an error of a rev message without a document ID is reported for the announced document")
    func errorWithoutID() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        pull.peer.send("rev", ["sequence": "1", "error": "500"], "", isNoReply: true)
        pull.peer.send("rev", ["sequence": "2", "rev": "1-bb"], "{}", isNoReply: true)
        #expect(pull.progress == ["1", "2"] && pull.ended == ["a WebSocket/502", "b WebSocket/400"])
    }

    // MARK: Deltas

    private func pullWithBase() throws -> TestPull {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"n":1,"text":"abc"}"#)
        pull.changes(#"[[2,"a","2-bb"]]"#)
        return pull
    }

    @Test("a pulled delta is applied to its base revision")
    func delta() throws {
        let pull = try pullWithBase()
        let reply = pull.rev("a", "2-bb", sequence: "2", history: "1-aa", #"{"n":2}"#, ["deltaSrc": "1-aa"])
        #expect(pull.peer.summary(reply) == "RES")
        #expect(try pull.json("a") == #"{"n":2,"text":"abc"}"#)
        try pull.check()
    }

    @Test("the full revision is requested and awaited when a delta cannot be applied")
    func needsWhole() throws {
        for (body, base) in [(#"{"n":2}"#, "1-ff"), (#"{"x":[]}"#, "1-aa"), ("nonsense", "1-aa")] {
            let pull = try pullWithBase()
            let reply = pull.rev("a", "2-bb", sequence: "2", history: "1-aa", body, ["deltaSrc": base])
            #expect(pull.peer.summary(reply) == "HTTP/422")
            pull.caughtUp()
            #expect(pull.puller.isBusy && pull.ended == ["a"])
            #expect(pull.peer.summary(pull.rev("a", "2-bb", sequence: "2", history: "1-aa", #"{"n":2}"#)) == "RES")
            #expect(try pull.json("a") == #"{"n":2}"# && !pull.puller.isBusy && pull.progress == ["1", "2"])
        }
    }

    @Test("a delta can be based on a revision that was received just before")
    func deltaOnBatch() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"a","2-bb"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"n":1,"m":1}"#)
        pull.rev("a", "2-bb", sequence: "2", history: "1-aa", #"{"n":2}"#, ["deltaSrc": "1-aa"])
        #expect(try pull.json("a") == #"{"m":1,"n":2}"#)
        #expect(pull.progress.last == "2")
    }

    @Test("a revision that is received after the database was closed is not counted as pulled")
    func closedDatabase() throws {
        let pull = try pullWithBase()
        try DatabaseRegistry.close(pull.replica.file)
        let reply = pull.rev("a", "2-bb", sequence: "2", history: "1-aa", #"{"n":2}"#, ["deltaSrc": "1-aa"])
        #expect(pull.peer.summary(reply) == "LiteCore/6")
        #expect(pull.ended == ["a", "a LiteCore/6 again"] && pull.progress == ["1"])
    }

    // MARK: Filters

    @Test("the push filter gets bodies and deletions, and only accepted documents are proposed")
    func filter() throws {
        let seen = Box<[String]>([])
        let pull = try TestPull {
            $0.collection.pullFilter = { revision in
                let number = revision.body.root?.dictionary?.value(for: "n", sharedKeys: revision.sharedKeys)?.int64
                seen.value.append("\(revision.documentID) \(revision.revision) \(revision.isDeleted) \(number ?? -1)")
                return number != 2
            }
        }
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"],[3,"c","1-cc",1]]"#)
        let replies = [
            pull.rev("a", "1-aa", sequence: "1", #"{"n":1}"#), pull.rev("b", "1-bb", sequence: "2", #"{"n":2}"#),
            pull.rev("c", "1-cc", sequence: "3", "{}", ["deleted": "1"]),
        ]
        #expect(replies.map { pull.peer.summary($0) } == ["RES", "HTTP/403", "RES"])
        #expect(seen.value == ["a 1-aa false 1", "b 1-bb false 2", "c 1-cc true -1"])
        #expect(Set(pull.ended) == ["a", "b WebSocket/403", "c deleted"] && pull.progress.last == "3")
        #expect(try pull.revision("b") == nil)
    }

    // MARK: Peers that violate the protocol

    @Test(
        "an invalid changes message ends the session with an error",
        arguments: ["{", "7", "[[1]]"]
    )
    func unreadableChanges(_ body: String) throws {
        let pull = try TestPull()
        #expect(pull.changes(body) == "HTTP/400" || pull.peer.closure?.code == 4002)
        #expect(pull.peer.closure?.code == 4002)
        let error = pull.peer.disconnect()
        #expect(error?.domain == .liteCore && error?.code == 26)
        #expect(pull.progress.isEmpty)
    }

    @Test("invalid document IDs and revision IDs are reported as errors of their documents")
    func unstorableNames() throws {
        let pull = try TestPull()
        let long = String(repeating: "x", count: 241)
        #expect(
            pull.changes("[[1,\"\(long)\",\"1-aa\"],[2,\"_x\",\"1-aa\"],[3,\"a\",\"1-xyz\"],[4,\"b\",\"1-aa\"]]")
                == "RES maxHistory=50 blobs=true deltas=true [0,0,0,[]]"
        )
        #expect(pull.ended == ["\(long) LiteCore/29", "_x LiteCore/29", "a LiteCore/4"])
        #expect(pull.progress == ["3"])
    }

    @Test("a revision that is unrequested, repeated or without a sequence is rejected")
    func unasked() throws {
        let pull = try TestPull()
        #expect(pull.peer.summary(pull.rev("a", "1-aa", sequence: "1")) == "HTTP/400")
        pull.changes(#"[[1,"a","1-aa"]]"#)
        #expect(pull.peer.ask("rev", ["id": "a", "rev": "1-aa"], "{}") == "HTTP/400")
        #expect(pull.peer.summary(pull.rev("a", "1-aa", sequence: "1")) == "RES")
        #expect(pull.peer.summary(pull.rev("a", "1-aa", sequence: "1")) == "HTTP/400")
        #expect(pull.ended == ["a"] && pull.progress == ["1"])
    }

    @Test("a rev message with an invalid ID, revision or history is rejected, and its revision is not awaited")
    func misnamed() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"],[3,"c","1-cc"]]"#)
        pull.caughtUp()
        #expect(pull.peer.ask("rev", ["id": "a", "rev": "zzz", "sequence": "1"], "{}") == "HTTP/400")
        #expect(pull.peer.ask("rev", ["rev": "1-bb", "sequence": "2"], "{}") == "HTTP/400")
        #expect(pull.peer.ask("rev", ["id": "c", "rev": "1-cc", "sequence": "3", "history": "x"], "{}") == "HTTP/400")
        #expect(!pull.puller.isBusy && pull.progress.last == "3")
    }

    @Test("an invalid body or history is an error of its document, and other documents are stored")
    func badRevisions() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","3-bb"],[3,"c","1-cc"]]"#)
        let replies = [
            pull.rev("a", "1-aa", sequence: "1", "[1]"), pull.rev("b", "3-bb", sequence: "2", history: "1-aa,2-bb"),
            pull.rev("c", "1-cc", sequence: "3"),
        ]
        #expect(replies.map { pull.peer.summary($0) } == ["LiteCore/5", "LiteCore/4", "RES"])
        #expect(pull.ended == ["a LiteCore/5", "b LiteCore/4", "c"] && pull.progress == ["1", "3"])
        try pull.check()
    }

    @Test("a sequence announced for two documents is complete when both are stored")
    func repeatedSequence() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[1,"b","1-bb"]]"#)
        pull.rev("b", "1-bb", sequence: "1")
        #expect(pull.puller.isBusy)
        pull.rev("a", "1-aa", sequence: "1")
        #expect(pull.progress == ["1"])
        #expect(try pull.revision("a") == "1-aa" && pull.revision("b") == "1-bb")
    }

    @Test("a session is closed when the peer announces changes without limit")
    func endlessChanges() throws {
        let pull = try TestPull()
        pull.changes("[" + (1...200).map { "[\($0),\"d\($0)\",\"1-aa\"]" }.joined(separator: ",") + "]")
        for number in 201...310 { pull.changes("[[\(number),\"d\(number)\",\"1-aa\"]]") }
        #expect(pull.peer.closure?.code == 4002)
    }

    @Test("a database error ends the session, and the sequence does not count as pulled")
    func databaseError() throws {
        struct Full: Error {}
        let isFull = Box(false)
        let pull = try TestPull(TestReplica { _ in if isFull.value { throw Full() } })
        pull.changes(#"[[1,"a","1-aa"]]"#)
        isFull.value = true
        let reply = pull.rev("a", "1-aa", sequence: "1")
        #expect(pull.peer.closure?.code == 4002 && pull.progress.isEmpty)
        #expect(pull.peer.summary(reply) == "no reply")
        #expect(pull.ended == ["a LiteCore/10 again"])
        #expect(try pull.revision("a") == nil)
    }
}
