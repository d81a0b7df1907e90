import BLIP
import DocumentStore
import Testing

@testable import Replication

@Suite("Several pulled blobs at a time")
struct ParallelBlobTests: PulledBlobSuite {
    @Test("blobs are fetched in parallel up to the maximum")
    func sideBySide() throws {
        let pull = try TestPull()
        let contents = (0..<50).map { "content \($0)" }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let body =
            "{" + contents.indices.map { "\"\($0)\":" + blob(digest(of: contents[$0])) }.joined(separator: ",") + "}"
        let reply = pull.rev("a", "1-aa", sequence: "1", body)
        var requests = pull.peer.dequeue("getAttachment")
        #expect(requests.count == BlobFetcher.maximumActive)
        while !requests.isEmpty {
            let request = requests.removeFirst()
            let content = try #require(contents.first { digest(of: $0) == request.properties["digest"] })
            pull.peer.respond(to: request, [:], content)
            requests += pull.peer.dequeue("getAttachment")
        }
        #expect(pull.peer.summary(reply) == "RES")
        try pull.check()
    }

    @Test("a session fetches a blob although another one that receives nothing has all permits")
    func silentOther() throws {
        let permits = FairPermits(count: 2)
        let silent = try TestPull { $0.downloadPermits = permits }
        silent.changes(#"[[1,"a","1-aa"]]"#)
        silent.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest)),"q":\#(blob(digest(of: "q"))),"r":\#(blob(digest(of: "r")))}"#)
        #expect(silent.peer.dequeue("getAttachment").count == 2)
        let pull = try TestPull { $0.downloadPermits = permits }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let reply = pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest)),"q":\#(blob(digest(of: "q")))}"#)
        for content in [content, "q"] {
            pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), [:], content)
            pull.peer.advance(by: .milliseconds(50))
        }
        #expect(pull.peer.summary(reply) == "RES" && pull.progress == ["1"])
        try pull.check()
    }

    @Test("the blobs that a revision waits for count for the memory of the connection")
    func memory() throws {
        let pull = try TestPull()
        let contents = (0..<1000).map { "content \($0)" }
        pull.changes(#"[[1,"a","1-aa"]]"#)
        let before = pull.puller.context.connection.memory.used
        let body = "{" + contents.indices.map { "\"\($0)\":" + blob(digest(of: contents[$0])) }.joined(separator: ",") + "}"
        pull.rev("a", "1-aa", sequence: "1", body)
        #expect(pull.puller.context.connection.memory.used - before > 2 * body.utf8.count + 400_000)
    }

    @Test("the history of a revision that waits for a blob counts for the memory of the connection")
    func memoryOfHistory() throws {
        let pull = try TestPull()
        let history = (1..<5000).reversed().map { "\($0)-aa" }
        pull.changes(#"[[1,"a","5000-aa"]]"#)
        let before = pull.puller.context.connection.memory.used
        pull.rev("a", "5000-aa", sequence: "1", history: history.joined(separator: ","), #"{"p":\#(blob(digest, length: 12))}"#)
        #expect(pull.puller.context.connection.memory.used - before > 5000 * 64)
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), [:], content)
        #expect(pull.progress == ["1"])
        #expect(pull.puller.context.connection.memory.used - before < 5000 * 64)
    }

    @Test("a document without blobs does not wait for an earlier one with a blob")
    func overtaking() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-bb"]]"#)
        pull.rev("a", "1-aa", sequence: "1", #"{"p":\#(blob(digest))}"#)
        let reply = pull.rev("b", "1-bb", sequence: "2")
        pull.peer.advance(by: .milliseconds(20))
        #expect(pull.peer.summary(reply) == "RES" && pull.progress.isEmpty)
        pull.peer.respond(to: try pull.peer.dequeueOne("getAttachment"), [:], content)
        #expect(pull.progress == ["2"])
    }

    @Test("all documents with blobs are pulled when there are more than may fetch blobs at a time")
    func manyWaiting() throws {
        let pull = try TestPull()
        let count = RevisionReceiver.maximumWaitingForBlobs + 20
        pull.changes("[" + (1...count).map { "[\($0),\"d\($0)\",\"1-aa\"]" }.joined(separator: ",") + "]")
        let contents = (1...count).map { "content \($0)" }
        for number in 1...count {
            pull.rev("d\(number)", "1-aa", sequence: "\(number)", #"{"p":\#(blob(digest(of: contents[number - 1])))}"#)
        }
        var requests = pull.peer.dequeue("getAttachment")
        while !requests.isEmpty {
            let request = requests.removeFirst()
            pull.peer.respond(to: request, [:], try #require(contents.first { digest(of: $0) == request.properties["digest"] }))
            requests += pull.peer.dequeue("getAttachment")
        }
        #expect(pull.progress.last == "\(count)")
        try pull.check()
    }
}
