import BLIP
import DocumentStore
import Testing

@testable import Replication

@Suite("Pending documents")
struct PendingDocumentsTests {
    @Test("asking for pending documents assigns no number to an unknown remote")
    func unknownRemote() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        let (database, collection) = (side.replica.database, side.options.collections[0])
        #expect(try database.pendingDocuments(side.options, in: collection) == ["a"])
        #expect(try database.refusedDocuments(side.options, in: collection) == [])
        #expect(try database.isPending("a", side.options, in: collection))
        #expect(try database.file.knownRemoteID(for: PushingSide.url) == nil)
        let remote = try database.file.remoteID(for: PushingSide.url)
        #expect(try database.file.knownRemoteID(for: PushingSide.url) == remote)
        try side.replica.checkAndClose()
    }

    @Test("a pushed document is pending again after it changes")
    func pushed() throws {
        let side = try PushingSide()
        try side.replica.save("a", "{}")
        let (database, collection) = (side.replica.database, side.options.collections[0])
        let peer = try side.connect()
        peer.respond(to: try peer.next("proposeChanges"), [:], "[304]")
        try peer.handleCheckpoint()
        #expect(try database.pendingDocuments(side.options, in: collection) == [])
        try side.replica.save("a", #"{"n":2}"#)
        #expect(try database.pendingDocuments(side.options, in: collection) == ["a"])
        #expect(try database.isPending("a", side.options, in: collection))
    }
}
