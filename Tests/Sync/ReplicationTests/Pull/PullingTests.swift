import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Pull replication")
struct PullingTests {
    @Test("announced documents are requested, stored, acknowledged and counted")
    func transcript() throws {
        let pull = try TestPull()
        #expect(pull.puller.isBusy)
        #expect(
            pull.changes(#"[[1,"doc1","1-a1"],[2,"doc2","1-b1"]]"#)
                == "RES maxHistory=50 blobs=true deltas=true [[],[]]"
        )
        pull.caughtUp()
        pull.rev("doc1", "1-a1", sequence: "1", #"{"name":"first"}"#, isNoReply: true)
        #expect(pull.puller.isBusy && pull.progress.isEmpty)
        let last = pull.rev("doc2", "1-b1", sequence: "2", #"{"n":2}"#)
        #expect(pull.peer.summary(last) == "RES")
        #expect(try pull.json("doc1") == #"{"name":"first"}"# && pull.json("doc2") == #"{"n":2}"#)
        #expect(pull.progress == ["2"])
        #expect(pull.ended == ["doc1", "doc2"])
        #expect(pull.peer.status.counts.replicated == 2)
        #expect(!pull.puller.isBusy)
        #expect(try pull.remoteAncestor("doc1") == "1-a1")
        try pull.check()
    }

    @Test("only the first changes reply offers deltas, and none does when deltas are disabled")
    func deltasOffered() throws {
        let pull = try TestPull()
        #expect(pull.changes(#"[[1,"a","1-aa"]]"#) == "RES maxHistory=50 blobs=true deltas=true [[]]")
        #expect(pull.changes(#"[[2,"b","1-aa"]]"#) == "RES maxHistory=50 blobs=true [[]]")
        let without = try TestPull { $0.session.usesDeltas = false }
        #expect(without.changes(#"[[1,"a","1-aa"]]"#) == "RES maxHistory=50 blobs=true [[]]")
    }

    @Test("only the first pull into an empty database requests activeOnly")
    func activeOnly() throws {
        func properties(_ pull: TestPull) throws -> Properties { try pull.peer.dequeueOne("subChanges").properties }
        #expect(try properties(TestPull(isSubscribed: false))["activeOnly"] == "true")
        let again = try properties(TestPull(since: RemoteSequence(7), isSubscribed: false))
        #expect(again["activeOnly"] == nil && again["since"] == "7")
        let replica = try TestReplica()
        try replica.save("a", "{}")
        #expect(try properties(TestPull(replica, isSubscribed: false))["activeOnly"] == nil)
    }

    @Test("revocations are requested if documents are purged or reported", arguments: [false, true])
    func revocations(purges: Bool) throws {
        let pull = try TestPull(isSubscribed: false) { $0.session.purgesOnLostAccess = purges }
        #expect(try pull.peer.dequeueOne("subChanges").properties["revocations"] == "true")
    }

    @Test("a one-shot pull ends after the subChanges reply, the end of the feed and all revisions")
    func end() throws {
        let pull = try TestPull(isSubscribed: false)
        let request = try pull.peer.dequeueOne("subChanges")
        pull.caughtUp()
        #expect(pull.puller.isBusy)
        pull.peer.respond(to: request)
        #expect(!pull.puller.isBusy)
        pull.changes(#"[[1,"a","1-aa"]]"#)
        #expect(pull.puller.isBusy)
        pull.rev("a", "1-aa", sequence: "1")
        #expect(!pull.puller.isBusy)
    }

    @Test("a continuous replication pushes saved documents and is idle in between")
    func continuous() throws {
        let pull = try TestPull(isSubscribed: false) { $0.isContinuous = true }
        let request = try pull.peer.dequeueOne("subChanges")
        #expect(request.properties["continuous"] == "true")
        pull.peer.respond(to: request)
        pull.caughtUp()
        #expect(!pull.puller.isBusy)
        pull.changes(#"[[1,"a","1-aa"]]"#)
        #expect(pull.puller.isBusy)
        pull.rev("a", "1-aa", sequence: "1")
        #expect(!pull.puller.isBusy && pull.progress == ["1"])
    }

    @Test("the end of the feed may be announced twice and may request a reply")
    func repeatedEnd() throws {
        let pull = try TestPull()
        #expect(pull.peer.ask("changes", [:], "[]") == "RES")
        #expect(pull.peer.ask("changes", [:], "null") == "RES")
        pull.caughtUp()
        #expect(!pull.puller.isBusy && pull.progress.isEmpty)
    }

    @Test("a refused subscription ends the pull, and HTTP 400 ends the session")
    func refused() throws {
        let stopped = try TestPull(isSubscribed: false)
        stopped.peer.respond(to: try stopped.peer.dequeueOne("subChanges"), error: SyncError(.http, 500, "no"))
        #expect(!stopped.puller.isBusy && stopped.peer.closure == nil)
        let ended = try TestPull(isSubscribed: false)
        ended.peer.respond(to: try ended.peer.dequeueOne("subChanges"), error: SyncError(.http, 400, "no"))
        #expect(ended.peer.closure?.code == 4002)
        #expect(ended.peer.disconnect() == SyncError(.webSocket, 400, "no"))
    }

    // MARK: Revisions that are stored already

    @Test("a revision that is stored already is not requested, and the pusher is notified that the peer has it")
    func known() throws {
        let replica = try TestReplica()
        let first = try replica.save("a", #"{"n":1}"#)
        let second = try replica.save("a", #"{"n":2}"#)
        let pull = try TestPull(replica)
        #expect(pull.changes("[[1,\"a\",\"\(first)\"]]") == "RES maxHistory=50 blobs=true deltas=true []")
        #expect(pull.moved == ["a \(first)"])
        #expect(pull.changes("[[2,\"a\",\"\(second)\"],[3,\"b\",\"1-aa\"]]") == "RES maxHistory=50 blobs=true [0,[]]")
        #expect(pull.moved == ["a \(first)", "a \(second)"] && pull.progress == ["1", "2"])
        #expect(try pull.remoteAncestor("a") == second.description)
        pull.changes("[[4,\"a\",\"\(second)\"]]")
        #expect(pull.moved.count == 2)
        try pull.check()
    }

    @Test("known ancestors are listed in the reply, the remote ancestor first")
    func ancestors() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","2-bb"]]"#)
        pull.rev("a", "2-bb", sequence: "1", history: "1-aa", #"{"n":2}"#)
        let third = try pull.replica.save("a", #"{"n":3}"#)
        #expect(pull.changes(#"[[2,"a","5-ee"]]"#) == #"RES maxHistory=50 blobs=true [["2-bb","\#(third)"]]"#)
    }

    @Test("a repeated revision of a conflict branch is not requested, and the pusher is notified of the conflict")
    func losing() throws {
        let pull = try TestPull()
        let local = try pull.replica.save("a", #"{"n":1}"#)
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"n":2}"#)
        #expect(pull.conflicts == ["a"])
        pull.changes(#"[[2,"a","1-aa"]]"#)
        #expect(pull.moved == ["a 1-aa in conflict"])
        #expect(try pull.revision("a") == local.description)
        try pull.check()
    }

    @Test("channels, document IDs and the collection index are sent to the peer")
    func subset() throws {
        let pull = try TestPull(isSubscribed: false) {
            $0.collection.channels = ["x", "y"]
            $0.collection.documentIDs = ["a"]
            $0.collectionIndex = 3
        }
        let request = try pull.peer.dequeueOne("subChanges")
        #expect(request.properties["filter"] == "sync_gateway/bychannel" && request.properties["channels"] == "x,y")
        #expect(request.properties["collection"] == "3" && request.text == #"{"docIDs":["a"]}"#)
    }

    @Test("a broken connection leaves a valid database, and no progress is reported afterwards")
    func disconnected() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-aa"],[3,"c","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1")
        #expect(pull.peer.disconnect()?.code == 1006)
        pull.peer.advance(by: .seconds(100))
        #expect(pull.progress.isEmpty)
        try pull.check()
    }
}
