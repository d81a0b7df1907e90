import BLIP
import SyncCore
import Testing

@testable import Replication

@Suite("Replication sessions")
struct SessionTests {
    @Test("frames received together are handled in order and reported together")
    func framesTogether() throws {
        let side = try PushingSide()
        for number in 0..<5 { try side.replica.save("doc\(number)", #"{"n":\#(number)}"#) }
        let peer = try side.connect()
        peer.respond(to: try peer.first("proposeChanges"))
        let revisions = try (0..<5).map { _ in try peer.first("rev") }
        let reportCount = peer.reports.count

        peer.respondTogether(to: revisions)
        #expect(peer.documents.map(\.documentID) == (0..<5).map { "doc\($0)" })
        #expect(peer.status.counts.replicated == 5)
        #expect(peer.reports.count == reportCount + 2)
        try peer.handleCheckpoint()
        #expect(peer.disconnect() == nil)
    }

    @Test("a broken connection ends a busy session without an idle status")
    func breakInTheMiddle() throws {
        let side = try PushingSide(.continuous)
        try side.replica.save("a", "{}")
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[]")
        #expect(peer.status.isBusy)
        #expect(peer.disconnect()?.code == 1006)
        #expect(peer.status.isBusy)
        #expect(!peer.reports.contains { if case .status(let status) = $0 { !status.isBusy } else { false } })
    }

    @Test("only errors of the database as a whole leave a document for the next session")
    func errorsOfDatabase() {
        for code in [.notOpen, .notWriteable, .busy, .unreadableDatabase] as [EngineCode] {
            #expect(SyncError(engine: code).concernsDatabase)
        }
        for code in [.corruptData, .corruptRevisionData, .notFound, .conflict] as [EngineCode] {
            #expect(!SyncError(engine: code).concernsDatabase)
        }
        #expect(SyncError(.posix, 5).concernsDatabase && SyncError(.sqlite, 10).concernsDatabase)
        #expect(!SyncError(.http, 16).concernsDatabase)
    }

    @Test("frames received after the end of a session are ignored")
    func framesAfterEnd() throws {
        let side = try PushingSide(.continuous)
        let peer = try side.connect()
        peer.disconnect()
        peer.tell(frames: [[1, 2, 3]])
        guard case .ended = peer.reports.last, peer.closure == nil else {
            Issue.record("something was done after the end")
            return
        }
    }
}
