import BLIP
import Base
import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Unanswered revisions of an interrupted push")
struct UnansweredRevisionTests {
    /// A session that has sent two documents and is disconnected before the second is answered.
    private func cutOff() throws -> (PushingSide, taken: RevisionID) {
        let side = try PushingSide()
        try side.replica.save("a", #"{"n":1}"#)
        let taken = try side.replica.save("b", #"{"n":2}"#)
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        peer.respond(to: try peer.next("rev"))
        _ = try peer.next("rev")
        #expect(peer.disconnect()?.code == 1006)
        #expect(peer.documents.map(\.documentID) == ["a"])
        return (side, taken)
    }

    @Test("a revision that the peer received before the break is reported as pushed once in the next run")
    func takenBeforeTheBreak() throws {
        let (side, _) = try cutOff()
        let next = try side.connect()
        let proposal = try next.next("proposeChanges")
        #expect(proposal.text.contains(#""b""#))
        next.respond(to: proposal, [:], "[304,304]")
        #expect(next.documents == [EndedDocument(collection: .default, documentID: "b", isPush: true)])
        #expect(next.status.counts.pushed == 1)
        try next.handleCheckpoint()
        next.disconnect()

        try side.replica.database.discardCheckpoints(side.options)
        let last = try side.connect()
        #expect(last.documents == [])
    }

    @Test("a revision that the peer received before the process was killed is reported as pushed in the next run")
    func killed() throws {
        let side = try PushingSide()
        for id in ["a", "b", "c"] { try side.replica.save(id, #"{"n":1}"#) }
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[0,304,0]")
        _ = try peer.next("rev")
        // The session receives nothing any longer, and does not end.
        let next = try side.connect()
        // "b" was recorded as the peer's together with the list, so it is not reported again.
        next.respond(to: try next.next("proposeChanges"), [:], "[304,304,0]")
        #expect(next.documents.map(\.documentID) == ["a"])
        next.respond(to: try next.next("rev"))
        #expect(next.documents.map(\.documentID) == ["a", "c"])
        try next.handleCheckpoint()
        #expect(try side.replica.database.unansweredRevisions(side.checkpointName()).isEmpty)
        withExtendedLifetime(peer) {}
    }

    @Test("an unanswered revision that the peer's feed confirms is reported as pushed")
    func notifiedByFeed() throws {
        let (side, taken) = try cutOff()
        let remote = try side.replica.database.file.remoteID(for: PushingSide.url)
        try side.replica.collection().markSynced([("b", taken)], remote: remote)
        let json = #"{"time":1700000000,"local":1}"#
        try side.replica.database.setCheckpoint(side.checkpointName(), Array(json.utf8))
        let next = try side.connect(peerCheckpoint: json)
        #expect(try next.next("proposeChanges").text == "[]")
        #expect(next.documents.map(\.documentID) == ["b"])
    }

    @Test("an unanswered revision that the peer did not receive is pushed again and reported once")
    func lost() throws {
        let (side, _) = try cutOff()
        let next = try side.connect()
        next.respond(to: try next.next("proposeChanges"), [:], "[304]")
        next.respond(to: try next.next("rev"))
        #expect(next.documents.map(\.documentID) == ["b"])
        next.disconnect()
        #expect(try side.replica.database.unansweredRevisions(side.checkpointName()).isEmpty)
    }

    @Test("an unanswered revision that is replaced before the next run is not reported")
    func replaced() throws {
        let (side, _) = try cutOff()
        try side.replica.save("b", #"{"n":3}"#)
        let next = try side.connect()
        next.respond(to: try next.next("proposeChanges"), [:], "[304]")
        #expect(next.documents == [])
    }

    @Test("the list of unanswered revisions is kept after a second disconnection and is read back unchanged")
    func stored() throws {
        let (side, taken) = try cutOff()
        let peer = try side.connect()
        peer.disconnect()
        var list = try side.replica.database.unansweredRevisions(side.checkpointName())
        #expect(UnansweredRevisions(json: list.json()).json() == list.json())
        let wasThere = list.remove("b", taken)
        #expect(wasThere && list.isEmpty)
    }

    @Test("document IDs are compared by their bytes, and invalid entries of a damaged list are ignored")
    func reading() throws {
        let revision = try #require(RevisionID("1-aa"))
        let ids = ["\u{e9}", "e\u{301}", "\"\n"]
        var list = UnansweredRevisions()
        for id in ids { list.insert(ExactString(id), revision) }
        var read = UnansweredRevisions(json: list.json())
        for id in ids {
            let isThere = read.remove(ExactString(id), revision)
            #expect(isThere)
        }
        #expect(read.isEmpty)
        for json in ["", "{", "{}", "null", "[1,2]", #"["a"]"#, #"["a","b"]"#] {
            #expect(UnansweredRevisions(json: Array(json.utf8)).isEmpty)
        }
        var partial = UnansweredRevisions(json: Array(#"["a","x","b","1-aa",3]"#.utf8))
        let isThere = partial.remove("b", revision)
        #expect(isThere)
    }
}
