import BLIP
import SyncCore
import Testing

@testable import Replication

@Suite("Pull progress estimates")
struct PullEstimateTests {
    private func rows(_ sequences: [String]) throws -> [ChangeRow] {
        let list = sequences.map { "[\($0),\"d\",\"1-aa\"]" }.joined(separator: ",")
        return try ChangeRow.rows(Array("[\(list)]".utf8))
    }

    @Test("an estimate starts with all sequences after the checkpoint and follows the share of wanted ones")
    func share() throws {
        var estimate = PullEstimate(since: RemoteSequence(1000))
        #expect(estimate.remaining == 0)
        estimate.last = 2000
        #expect(estimate.remaining == 1000)
        // A quarter of the first hundred sequences is wanted.
        estimate.note(try rows(["1001", "1100"]), wantedCount: 25)
        #expect(estimate.remaining == 225)
        estimate.note(try rows(["1500"]), wantedCount: 175)
        #expect(estimate.remaining == 200)
        estimate.end()
        #expect(estimate.remaining == 0)
    }

    @Test("an estimate stays in range for invalid sequences and counts")
    func nonsense() throws {
        var estimate = PullEstimate(since: RemoteSequence(.max))
        estimate.last = 5
        #expect(estimate.remaining == 0)
        estimate = PullEstimate(since: RemoteSequence(json: "\"5:7\""))
        estimate.last = .max
        #expect(estimate.remaining == 1_000_000_000_000_000)
        estimate.note(try rows(["\"12:13\"", "{}"]), wantedCount: 2)
        estimate.note(try rows(["18446744073709551615"]), wantedCount: 1)
        #expect(estimate.remaining == 0)
        estimate.note(try rows(["3"]), wantedCount: .max / 2)
        #expect(estimate.remaining == 0)
    }

    @Test("the session status contains the estimate until the end of the feed is announced")
    func status() throws {
        let pull = try TestPull(isSubscribed: false)
        pull.peer.respond(to: try pull.peer.dequeueOne("subChanges"), ["lastSequence": "400"])
        #expect(pull.peer.status.estimatedDocuments == 400 && pull.peer.status.totalDocuments == 0)
        pull.changes(#"[[100,"a","1-aa"]]"#)
        #expect(pull.peer.status.estimatedDocuments == 3 && pull.peer.status.totalDocuments == 1)
        pull.rev("a", "1-aa", sequence: "100")
        #expect(pull.peer.status.completedDocuments == 1)
        pull.caughtUp()
        #expect(pull.peer.status.estimatedDocuments == 0 && pull.peer.status.totalDocuments == 1)
    }
}
