import BLIP
import DocumentStore
import SyncCore
import TestSupport
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
        let without = try TestPull { $0.usesDeltas = false }
        #expect(without.changes(#"[[1,"a","1-aa"]]"#) == "RES maxHistory=50 blobs=true [[]]")
    }

    @Test("only the first pull into an empty database requests activeOnly")
    func activeOnly() throws {
        func properties(_ pull: TestPull) throws -> Properties { try pull.peer.takeOne("subChanges").properties }
        #expect(try properties(TestPull(isSubscribed: false))["activeOnly"] == "true")
        let again = try properties(TestPull(since: RemoteSequence(7), isSubscribed: false))
        #expect(again["activeOnly"] == nil && again["since"] == "7")
        let replica = try TestReplica()
        try replica.save("a", "{}")
        #expect(try properties(TestPull(replica, isSubscribed: false))["activeOnly"] == nil)
    }

    @Test("revocations are requested if documents are purged or reported")
    func revocations() throws {
        for (purges, reports) in [(true, true), (true, false), (false, true), (false, false)] {
            let pull = try TestPull(isSubscribed: false) {
                $0.purgesOnLostAccess = purges
                $0.reportsAllDocuments = reports
            }
            let properties = try pull.peer.takeOne("subChanges").properties
            #expect(properties["revocations"] == (purges || reports ? "true" : nil))
        }
    }

    @Test("a one-shot pull ends after the subChanges reply, the end of the feed and all revisions")
    func end() throws {
        let pull = try TestPull(isSubscribed: false)
        let request = try pull.peer.takeOne("subChanges")
        pull.caughtUp()
        #expect(pull.puller.isBusy)
        pull.peer.respond(to: request)
        #expect(!pull.puller.isBusy)
        pull.changes(#"[[1,"a","1-aa"]]"#)
        #expect(pull.puller.isBusy)
        pull.rev("a", "1-aa", sequence: "1")
        #expect(!pull.puller.isBusy)
    }

    @Test("a continuous pull is idle at the end of the feed and between later changes")
    func continuous() throws {
        let pull = try TestPull(isSubscribed: false) { $0.isContinuous = true }
        let request = try pull.peer.takeOne("subChanges")
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
        stopped.peer.respond(to: try stopped.peer.takeOne("subChanges"), error: SyncError(.http, 500, "no"))
        #expect(!stopped.puller.isBusy && stopped.peer.closure == nil)
        let ended = try TestPull(isSubscribed: false)
        ended.peer.respond(to: try ended.peer.takeOne("subChanges"), error: SyncError(.http, 400, "no"))
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

    // MARK: Received revisions

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

    @Test("received revisions wait up to 20 milliseconds for one batch, and not when no others are expected")
    func batches() throws {
        let commits = Box(0)
        let replica = try TestReplica { if $0 == .after { commits.value += 1 } }
        let pull = try TestPull(replica)
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-aa"],[3,"c","1-aa"]]"#)
        let first = pull.rev("a", "1-aa", sequence: "1")
        pull.rev("b", "1-aa", sequence: "2")
        #expect(pull.peer.summary(first) == "no reply" && commits.value == 0)
        pull.peer.advance(by: .milliseconds(19))
        #expect(commits.value == 0)
        pull.peer.advance(by: .milliseconds(1))
        #expect(pull.peer.summary(first) == "RES" && commits.value == 1 && pull.progress == ["2"])
        pull.rev("c", "1-aa", sequence: "3")
        #expect(commits.value == 2 && pull.progress == ["2", "3"])
    }

    @Test("a batch of a hundred revisions is stored at once")
    func fullBatch() throws {
        let commits = Box(0)
        let replica = try TestReplica { if $0 == .after { commits.value += 1 } }
        let pull = try TestPull(replica)
        pull.changes("[" + (1...150).map { "[\($0),\"d\($0)\",\"1-aa\"]" }.joined(separator: ",") + "]")
        for number in 1...149 { pull.rev("d\(number)", "1-aa", sequence: "\(number)") }
        #expect(commits.value == 1 && pull.progress == ["100"])
        pull.rev("d150", "1-aa", sequence: "150")
        #expect(commits.value == 2 && pull.progress == ["100", "150"])
        try pull.check()
    }

    @Test("changes messages are answered in order, and late while too many revisions are pending")
    func throttle() throws {
        let pull = try TestPull()
        func list(_ range: ClosedRange<Int>) -> String {
            "[" + range.map { "[\($0),\"d\($0)\",\"1-aa\"]" }.joined(separator: ",") + "]"
        }
        let lists = [1...150, 151...300, 301...450, 451...600].map { pull.peer.send("changes", [:], list($0)) }
        #expect(lists.map { pull.peer.reply(to: $0) != nil } == [true, true, false, false])
        pull.caughtUp()
        // Bodies so large that the window contains 200 of them.
        let body = #"{"s":"\#(String(repeating: "x", count: 50_000))"}"#
        for number in 1...100 { pull.rev("d\(number)", "1-aa", sequence: "\(number)", body, isNoReply: true) }
        #expect(lists.map { pull.peer.reply(to: $0) != nil } == [true, true, false, false])
        pull.rev("d101", "1-aa", sequence: "101", body, isNoReply: true)
        #expect(lists.map { pull.peer.reply(to: $0) != nil } == [true, true, true, false])
        for number in 102...450 { pull.rev("d\(number)", "1-aa", sequence: "\(number)", body, isNoReply: true) }
        #expect(pull.peer.reply(to: lists[3]) != nil && pull.puller.isBusy)
        for number in 451...600 { pull.rev("d\(number)", "1-aa", sequence: "\(number)", "{}", isNoReply: true) }
        #expect(pull.progress.last == "600" && !pull.puller.isBusy)
    }

    @Test("a pull that receives nothing for 60 seconds ends with a transient error")
    func watchdog() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        pull.caughtUp()
        pull.peer.advance(by: .seconds(50))
        pull.rev("a", "1-aa", sequence: "1")
        pull.peer.advance(by: .seconds(59))
        #expect(pull.peer.closure == nil)
        pull.peer.advance(by: .seconds(1))
        #expect(pull.peer.closure?.code == 4002)
        #expect(pull.peer.disconnect()?.isTransient == true)
        #expect(pull.progress == ["1"])
    }

    @Test("a revision that never arrives fails after 60 seconds although others arrive, and the next pull requests it again")
    func passedOver() throws {
        let replica = try TestReplica()
        let pull = try TestPull(replica) { $0.isContinuous = true }
        pull.caughtUp()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        pull.rev("b", "1-bb", sequence: "2")
        for number in 3...5 {
            pull.peer.advance(by: .seconds(19))
            pull.changes("[[\(number),\"d\(number)\",\"1-aa\"]]")
            pull.rev("d\(number)", "1-aa", sequence: "\(number)")
        }
        pull.peer.advance(by: .milliseconds(2999))
        #expect(pull.puller.isBusy && pull.puller.receiver.expected.count == 1)
        pull.peer.advance(by: .milliseconds(1))
        #expect(pull.ended == ["b", "d3", "d4", "d5", "a Network/3 again"])
        #expect(!pull.puller.isBusy && pull.peer.closure == nil && pull.progress.isEmpty)
        #expect(pull.peer.summary(pull.rev("a", "1-aa", sequence: "1")) == "HTTP/400")
        #expect(pull.peer.disconnect()?.code == 3)

        let next = try TestPull(replica)
        next.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        next.rev("a", "1-aa", sequence: "1")
        #expect(next.ended == ["a"] && next.progress == ["2"])
        try next.check()
    }

    @Test("revisions do not fail because the process was suspended for longer than 60 seconds", arguments: [false, true])
    func suspended(isTimerFirst: Bool) throws {
        let pull = try TestPull { $0.isContinuous = true }
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        pull.peer.advance(by: .seconds(10))
        // Time passes, and no timer fires.
        pull.peer.suspend(for: .seconds(3600))
        if !isTimerFirst { pull.caughtUp() }
        pull.peer.advance(by: .zero)
        if isTimerFirst { pull.caughtUp() }
        pull.rev("a", "1-aa", sequence: "1")
        pull.peer.advance(by: .seconds(59))
        pull.rev("b", "1-bb", sequence: "2")
        #expect(pull.ended == ["a", "b"] && pull.progress == ["1", "2"] && pull.peer.closure == nil)
    }

    @Test("a revision that takes longer than 60 seconds to arrive does not fail")
    func slowRevision() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let body = Array(#"{"s":"\#(String(repeating: "x", count: 40_000))"}"#.utf8)
        let properties: Properties = ["Profile": "rev", "id": "a", "rev": "1-aa", "sequence": "1"]
        pull.peer.connection.send(OutgoingMessage(properties, body: body, isNoReply: true))
        var frames: [[UInt8]] = []
        while let frame = pull.peer.connection.nextFrame() { frames.append(frame) }
        #expect(frames.count == 3)
        for frame in frames {
            pull.peer.tell(frames: [frame])
            pull.peer.advance(by: .seconds(50))
        }
        #expect(pull.ended == ["a"] && pull.progress == ["1"] && pull.peer.closure == nil)
    }

    @Test("a list whose revisions wait for a blob that takes longer than 60 seconds does not fail")
    func slowBlob() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let blob = #"{"@type":"blob","digest":"sha1-ArH2IhJgRp/90GRqSAdAfa750BE=","length":12}"#
        pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob)}"#)
        let request = try pull.peer.takeOne("getAttachment")
        for _ in 0..<3 {
            pull.peer.advance(by: .seconds(30))
            pull.caughtUp()
        }
        pull.peer.respond(to: request, [:], "Hello, blob!")
        pull.peer.advance(by: .seconds(20))
        pull.rev("b", "1-bb", sequence: "2")
        #expect(pull.ended == ["a", "b"] && pull.progress == ["1", "2"])
    }

    @Test("an idle continuous pull does not time out")
    func patience() throws {
        let pull = try TestPull { $0.isContinuous = true }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1")
        pull.caughtUp()
        pull.peer.advance(by: .seconds(3600))
        #expect(pull.peer.closure == nil)
    }

    @Test("pull progress counts documents regardless of their size")
    func progress() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa",false,100],[2,"b","1-aa"],[3,"c","1-aa",false,50]]"#)
        #expect(pull.peer.status.totalDocuments == 3 && pull.peer.status.completedDocuments == 0)
        pull.rev("a", "1-aa", sequence: "1")
        pull.norev("b", "1-aa", sequence: "2")
        #expect(pull.peer.status.completedDocuments == 1)
        pull.rev("c", "1-aa", sequence: "3")
        #expect(pull.peer.status.completedDocuments == 3)
    }

    @Test("announced sizes, however large, do not affect the progress")
    func hugeSizes() throws {
        let pull = try TestPull()
        let size = "9223372036854775807"
        pull.changes(#"[[1,"a","1-aa",false,\#(size)],[2,"b","1-aa",false,\#(size)],[3,"c","1-aa",false,\#(size)]]"#)
        #expect(pull.peer.status.totalDocuments == 3)
        pull.rev("a", "1-aa", sequence: "1")
        pull.rev("b", "1-aa", sequence: "2")
        pull.rev("c", "1-aa", sequence: "3")
        #expect(pull.peer.status.completedDocuments == 3)
    }

    @Test("only errors and lost access are reported when reports of all documents are disabled")
    func reports() throws {
        let pull = try TestPull { $0.reportsAllDocuments = false }
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-aa"],[3,"c","1-aa",2]]"#)
        pull.rev("a", "1-aa", sequence: "1")
        pull.rev("b", "1-aa", sequence: "2", "[]")
        #expect(pull.ended == ["c removed", "b LiteCore/5"])
        #expect(pull.peer.status.counts.replicated == 2)
    }

    @Test("channels, document IDs and the collection index are sent to the peer")
    func subset() throws {
        let pull = try TestPull(isSubscribed: false) {
            $0.channels = ["x", "y"]
            $0.documentIDs = ["a"]
            $0.collectionIndex = 3
        }
        let request = try pull.peer.takeOne("subChanges")
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

/// A value that closures can change.
final class Box<Value>: @unchecked Sendable {
    // Unchecked: tests use it on one thread only.
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
