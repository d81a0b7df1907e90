import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Timeouts of a pull")
struct PullTimeoutTests {
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
        // Time goes by, and no timer fires.
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
        let request = try pull.peer.dequeueOne("getAttachment")
        for _ in 0..<3 {
            pull.peer.advance(by: .seconds(30))
            pull.caughtUp()
        }
        pull.peer.respond(to: request, [:], "Hello, blob!")
        pull.peer.advance(by: .seconds(20))
        pull.rev("b", "1-bb", sequence: "2")
        #expect(pull.ended == ["a", "b"] && pull.progress == ["1", "2"])
    }

    @Test("a slow connection stays open while only parts of blobs arrive between two parts of a revision")
    func slowBlobs() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        let contents = (1...8).map { [UInt8](repeating: $0, count: 40_000) }
        let blobs = contents.map { #"{"@type":"blob","digest":"\#(BlobDigest(of: $0).string)","length":40000}"# }
        pull.rev("a", "1-aa", sequence: "1", #"{"blobs":[\#(blobs.joined(separator: ","))]}"#)
        let requests = pull.peer.dequeue("getAttachment")
        try #require(requests.count == 8)
        let properties: Properties = ["Profile": "rev", "id": "b", "rev": "1-bb", "sequence": "2"]
        let body = Array(#"{"s":"\#(String(repeating: "x", count: 40_000))"}"#.utf8)
        pull.peer.connection.send(OutgoingMessage(properties, body: body))
        for request in requests {
            let content = try #require(contents.first { BlobDigest(of: $0).string == request.properties["digest"] })
            pull.peer.connection.respond(to: request, with: OutgoingMessage(body: content))
        }
        // The messages take turns: 90 seconds pass from one part of the revision to the next.
        var frames: [[UInt8]] = []
        while let frame = pull.peer.connection.nextFrame() { frames.append(frame) }
        #expect(frames.count == 27)
        for frame in frames {
            pull.peer.tell(frames: [frame])
            pull.peer.advance(by: .seconds(10))
        }
        #expect(pull.peer.closure == nil)
        #expect(Set(pull.ended) == ["a", "b"])
    }

    @Test("an idle continuous pull does not time out")
    func idle() throws {
        let pull = try TestPull { $0.isContinuous = true }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        pull.rev("a", "1-aa", sequence: "1")
        pull.caughtUp()
        pull.peer.advance(by: .seconds(3600))
        #expect(pull.peer.closure == nil)
    }
}
