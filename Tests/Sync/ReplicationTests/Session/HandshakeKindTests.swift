import DocumentStore
import SyncCore
import Testing

@testable import Replication

@Suite("Kinds of remote databases in handshakes")
struct HandshakeKindTests {
    private func gateway(_ server: String, _ subprotocol: String = Subprotocol.collections) -> ChannelHandshake {
        ChannelHandshake(subprotocol: subprotocol, responseHeaders: [("Upgrade", "websocket"), ("server", server)])
    }

    private static let servers: [(String, RemoteKind?)] = [
        ("Couchbase Sync Gateway/3.3.7 CE", .trees), ("Couchbase Sync Gateway/2.8.3(9;abc) EE", .trees),
        ("Couchbase Sync Gateway/4.0.7 CE", .versions), ("Couchbase Sync Gateway/10", .versions),
        ("Couchbase Sync Gateway", nil), ("Couchbase Sync Gateway/", nil), ("Couchbase Sync Gateway/0.0.0", nil),
        ("Couchbase Sync Gateway/-3", nil), ("Couchbase Sync Gateway/99999999999999999999.1", nil),
        ("couchbase sync gateway/3.0", nil), ("x Couchbase Sync Gateway/3.0", nil), ("CouchbaseLiteSwift-Hub", nil), ("", nil),
    ]

    @Test("the kind of a server is known if it is a Sync Gateway that names its release", arguments: servers)
    func release(server: String, kind: RemoteKind?) {
        #expect(RemoteKind(gateway(server)) == kind)
    }

    @Test("a peer with protocol 4 serves version vectors whatever its server is, and nothing is known without a server")
    func protocols() {
        #expect(RemoteKind(gateway("Couchbase Sync Gateway/3.3.7 CE", Subprotocol.versions)) == .versions)
        #expect(RemoteKind(ChannelHandshake(subprotocol: Subprotocol.collections)) == nil)
        #expect(RemoteKind(ChannelHandshake()) == nil)
    }

    @Test("a database in the same process says itself what it serves", arguments: [(true, RemoteKind.versions), (false, RemoteKind.trees)])
    func local(servesVersions: Bool, kind: RemoteKind) {
        var handshake = ChannelHandshake(subprotocol: Subprotocol.collections)
        handshake.servesVersions = servesVersions
        #expect(RemoteKind(handshake) == kind)
    }

    @Test("a session records a gateway that serves revision trees only until a later one finds another release")
    func sessions() throws {
        let replica = try TestReplica()
        func connect(_ handshake: ChannelHandshake) {
            let options = ActiveOptions(
                remoteURL: PushingSide.url,
                push: .oneShot,
                pull: .oneShot,
                collections: [CollectionOptions(.default)]
            )
            let session = Session.active(replica.database, options) { 1_700_000_000 }
            _ = session.handle(.opened(handshake), at: .zero)
        }
        connect(ChannelHandshake(subprotocol: Subprotocol.collections))
        #expect(try replica.file.remotesWithTrees() == [])
        connect(gateway("Couchbase Sync Gateway/3.3.7 CE"))
        #expect(try replica.file.remotesWithTrees() == ["ws://localhost:4984/db"])
        connect(gateway("a proxy"))
        #expect(try replica.file.remotesWithTrees() == ["ws://localhost:4984/db"])
        connect(gateway("Couchbase Sync Gateway/4.0.7 CE"))
        #expect(try replica.file.remotesWithTrees() == [])
    }
}
