#if Replication
import SyncCore
import Foundation
import Replication
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("URL endpoint listeners", .urgentOnOwnThreads, .serialized)
struct URLEndpointListenerTests {
    let folder: DatabaseFolder
    let served: Database
    let client: Database

    init() throws {
        _ = TestIdentities.directory
        folder = try DatabaseFolder()
        served = try folder.open("served")
        client = try folder.open("client")
        try served.saveDocument(MutableDocument(id: "theirs").setInt(1, forKey: "n"))
        try client.saveDocument(MutableDocument(id: "ours").setInt(2, forKey: "n"))
    }

    private func listener(
        tls: Bool = false,
        _ configure: (URLEndpointListenerConfiguration) throws -> Void = { _ in }
    ) throws -> URLEndpointListener {
        let config = URLEndpointListenerConfiguration(collections: [try served.defaultCollection()])
        config.networkInterface = "127.0.0.1"
        config.disableTLS = !tls
        try configure(config)
        let listener = URLEndpointListener(config: config)
        try listener.start()
        return listener
    }

    private func replicator(
        _ listener: URLEndpointListener,
        _ configure: (ReplicatorConfiguration) throws -> Void = { _ in }
    ) throws -> Replicator {
        let url = try #require(listener.urls?.first)
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: client.defaultCollection())],
            target: URLEndpoint(url: url)
        )
        config.maxAttempts = 1
        try configure(config)
        return Replicator(config: config)
    }

    @Test("a listener serves a database with version vectors to a client with revision trees, and by protocol 4 when it is upgraded")
    func versionVectors() async throws {
        try served.upgradeToVersionVectors()
        try served.saveDocument(MutableDocument(id: "new").setInt(3, forKey: "n"))
        let listener = try listener(tls: true)
        defer { listener.stop() }
        func run(_ type: ReplicatorType = .pushAndPull) async throws -> [String] {
            try await replicator(listener) {
                $0.replicatorType = type
                $0.acceptOnlySelfSignedServerCertificate = true
            }.runToEnd()
        }
        #expect(try await run(.push) == ["push ours"])
        #expect(served.document(withID: "ours")?.int(forKey: "n") == 2)
        #expect(served.document(withID: "ours")?.revisionID?.hasSuffix("@*") == true)
        #expect(try await run() == ["pull new", "pull theirs"])
        #expect(client.document(withID: "new")?.revisionID?.hasPrefix("1-") == true)
        try client.upgradeToVersionVectors()
        // The client gets the versions of what it has, and pushes nothing.
        let pulled = try await run()
        #expect(pulled.allSatisfy { $0.hasPrefix("pull ") }, "\(pulled)")
        #expect(try await run() == [])
        let document = try #require(client.document(withID: "theirs")?.toMutable())
        try client.saveDocument(document.setInt(4, forKey: "n"))
        try client.deleteDocument(try #require(client.document(withID: "new")))
        try served.saveDocument(try #require(served.document(withID: "ours")?.toMutable()).setInt(5, forKey: "n"))
        #expect(try await run() == ["pull ours", "push new", "push theirs"])
        #expect(served.document(withID: "theirs")?.int(forKey: "n") == 4 && served.document(withID: "new") == nil)
        #expect(client.document(withID: "ours")?.int(forKey: "n") == 5)
        #expect(try await run() == [])
    }

    @Test("a listener serves pulled documents and accepts pushed ones")
    func serving() async throws {
        let listener = try listener()
        defer { listener.stop() }
        let url = try #require(listener.urls?.first)
        #expect(url.absoluteString == "ws://127.0.0.1:\(try #require(listener.port))/served")
        #expect(listener.tlsIdentity == nil)
        let replicator = try replicator(listener)
        #expect(try await replicator.runToEnd() == ["pull theirs", "push ours"])
        #expect(client.document(withID: "theirs")?.int(forKey: "n") == 1)
        #expect(served.document(withID: "ours")?.int(forKey: "n") == 2)
        #expect(replicator.serverCertificate == nil)
        #expect(try await replicator.runToEnd() == [])
    }

    @Test("a listener has URLs and a port while it is running, and none before and after")
    func urls() throws {
        let config = URLEndpointListenerConfiguration(collections: [try served.defaultCollection()])
        let listener = URLEndpointListener(config: config)
        #expect(listener.urls == nil)
        #expect(listener.port == nil)
        #expect(listener.tlsIdentity == nil)
        try listener.start()
        try listener.start()
        let port = try #require(listener.port)
        let urls = try #require(listener.urls)
        #expect(!urls.isEmpty)
        #expect(urls.allSatisfy { $0.scheme == "wss" && $0.port == Int(port) && $0.path == "/served" })
        #expect(listener.tlsIdentity?.certs.count == 1)
        listener.stop()
        #expect(listener.urls == nil)
        #expect(listener.port == nil)
    }

    @Test("a listener cannot start on a port in use or on an unknown network interface")
    func badPlaces() throws {
        let first = try listener()
        defer { first.stop() }
        #expect(thrown { _ = try listener { $0.port = first.port } } == .posix(EADDRINUSE))
        let code = thrown { _ = try listener { $0.networkInterface = "no-such-interface" } }
        #expect(code == .couchbaseLite(CBLError.unknownInterface))
        // A listener that could not start does not prevent closing the database.
        try served.close()
        #expect(first.port == nil)
    }

    @Test("a listener with a password authenticator rejects missing and wrong passwords")
    func passwords() async throws {
        let listener = try listener {
            $0.authenticator = ListenerPasswordAuthenticator { name, password in
                name == "anna" && password == "s3cret"
            }
        }
        defer { listener.stop() }
        let strangers = [nil, BasicAuthenticator(username: "anna", password: "guess")]
        for stranger in strangers {
            let replicator = try replicator(listener) {
                $0.authenticator = stranger
                $0.maxAttempts = 5
            }
            #expect(await thrown { try await replicator.runToEnd() } == .couchbaseLite(CBLError.httpAuthRequired))
        }
        let friend = try replicator(listener) {
            $0.authenticator = BasicAuthenticator(username: "anna", password: "s3cret")
        }
        #expect(try await friend.runToEnd().count == 2)
    }

    @Test("a TLS listener is trusted by its pinned or self-signed certificate only")
    func encrypted() async throws {
        let listener = try listener(tls: true)
        defer { listener.stop() }
        let certificate = try #require(listener.tlsIdentity?.certs.first)
        #expect(listener.urls?.first?.scheme == "wss")

        let untrusting = try replicator(listener)
        let code = await thrown { try await untrusting.runToEnd() }
        #expect([CBLError.tlsCertUnknownRoot, CBLError.tlsCertUntrusted].contains(try #require(code).code))
        // The app can read the certificate that was not trusted, and trust it the next time.
        #expect(untrusting.serverCertificate == certificate)

        let selfSigned = try replicator(listener) { $0.acceptOnlySelfSignedServerCertificate = true }
        #expect(try await selfSigned.runToEnd().count == 2)
        #expect(selfSigned.serverCertificate == certificate)

        let pinned = try replicator(listener) { $0.pinnedServerCertificate = certificate }
        #expect(try await pinned.runToEnd() == [])

        let other = try TLSIdentity.anonymous(of: client)
        let wrong = try replicator(listener) { $0.pinnedServerCertificate = other.certs.first }
        #expect(await thrown { try await wrong.runToEnd() } == .couchbaseLite(CBLError.tlsCertUnknownRoot))
    }

    @Test("a listener with a certificate authenticator accepts only clients with a matching certificate")
    func clientCertificates() async throws {
        let label = "client \(UUID().uuidString)"
        let identity = try TLSIdentity.createIdentity(forServer: false, attributes: [certAttrCommonName: "Anna"], label: label)
        defer { try? TLSIdentity.deleteIdentity(withLabel: label) }
        let listener = try listener(tls: true) {
            $0.authenticator = ListenerCertificateAuthenticator { certs in certs.first?.commonName == "Anna" }
        }
        defer { listener.stop() }
        let nobody = try replicator(listener) { $0.acceptOnlySelfSignedServerCertificate = true }
        let code = try #require(await thrown { try await nobody.runToEnd() })
        #expect([CBLError.tlsClientCertRequired, CBLError.tlsHandshakeFailed].contains(code.code))
        let anna = try replicator(listener) {
            $0.acceptOnlySelfSignedServerCertificate = true
            $0.authenticator = ClientCertificateAuthenticator(identity: identity)
        }
        #expect(try await anna.runToEnd().count == 2)
        let roots = thrown {
            _ = try self.listener { $0.authenticator = ListenerCertificateAuthenticator(rootCerts: identity.certs) }
        }
        #expect(roots == .invalidParameter)
    }

    @Test("a read-only listener rejects pushed documents and serves pulled ones")
    func readOnly() async throws {
        let listener = try listener { $0.readOnly = true }
        defer { listener.stop() }
        let pushing = try replicator(listener) { $0.replicatorType = .push }
        #expect(await thrown { try await pushing.runToEnd() } == .couchbaseLite(CBLError.httpForbidden))
        #expect(served.document(withID: "ours") == nil)
        let pulling = try replicator(listener) { $0.replicatorType = .pull }
        #expect(try await pulling.runToEnd() == ["pull theirs"])
    }

    @Test("a listener answers a request for another database with the error HTTP 404")
    func otherDatabase() async throws {
        let listener = try listener()
        defer { listener.stop() }
        let port = try #require(listener.port)
        let url = try #require(URL(string: "ws://127.0.0.1:\(port)/other"))
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: client.defaultCollection())],
            target: URLEndpoint(url: url)
        )
        let replicator = Replicator(config: config)
        #expect(await thrown { try await replicator.runToEnd() } == .couchbaseLite(CBLError.httpNotFound))
    }

    @Test("a listener counts its connections, and its clients stop without a retry when it is stopped")
    func counting() async throws {
        let listener = try listener()
        let replicator = try replicator(listener) {
            $0.continuous = true
            $0.maxAttempts = 0
        }
        let levels = Recorder<Replicator.ActivityLevel>()
        let token = replicator.addChangeListener(withQueue: DispatchQueue(label: "test.levels")) {
            levels.append($0.status.activity)
        }
        #expect(listener.status == URLEndpointListener.ConnectionStatus(connectionCount: 0, activeConnectionCount: 0))
        replicator.start()
        await replicator.wait(for: .idle)
        #expect(listener.status.connectionCount == 1)
        listener.stop()
        let stopped = await replicator.wait(for: .stopped)
        #expect((stopped.error as NSError?)?.code == CBLError.webSocketGoingAway)
        #expect(listener.status.connectionCount == 0)
        levels.wait { $0.last == .stopped }
        #expect(!levels.all.contains(.offline))
        token.remove()
    }

    @Test("a listener on localhost is reachable under the host name localhost")
    func thisMachine() async throws {
        let listener = try listener { $0.networkInterface = "localhost" }
        defer { listener.stop() }
        let port = try #require(listener.port)
        #expect(listener.urls?.map(\.absoluteString) == ["ws://localhost:\(port)/served"])
        #expect(try await replicator(listener).runToEnd() == ["pull theirs", "push ours"])
    }

    @Test("a listener rejects connections beyond maxConnections")
    func connectionLimit() async throws {
        let listener = try listener { $0.maxConnections = 1 }
        let first = try replicator(listener) { $0.continuous = true }
        first.start()
        await first.wait(for: .idle)
        let second = try replicator(listener) { $0.maxAttempts = 1 }
        let code = await thrown { try await second.runToEnd() }
        #expect(code?.code == 10503)
        first.stop()
        await first.wait(for: .stopped)
    }

    @Test("a listener stops when its database is closed, and cannot be started again")
    func closing() async throws {
        let listener = try listener()
        let replicator = try replicator(listener) {
            $0.continuous = true
            $0.maxAttempts = 0
        }
        replicator.start()
        await replicator.wait(for: .idle)
        try await close(served)
        #expect(listener.port == nil)
        #expect(thrown { try listener.start() } == .notOpen)
        replicator.stop()
        await replicator.wait(for: .stopped)
    }

    @Test("a running listener without references serves clients until its database is closed")
    func dropped() async throws {
        var listener: URLEndpointListener? = try listener()
        let replicator = try replicator(#require(listener))
        listener = nil
        #expect(try await replicator.runToEnd().count == 2)
        try await close(served)
        let code = try #require(await thrown { try await replicator.runToEnd() })
        #expect(code == .posix(ECONNREFUSED))
    }

    @Test("a running server keeps its databases open after all references to them are gone")
    func droppedDatabase() throws {
        weak var database: Database?
        func start() throws -> DatabaseServer {
            let other = try folder.open("other")
            database = other
            let config = URLEndpointListenerConfiguration(collections: [try other.defaultCollection()])
            config.networkInterface = "127.0.0.1"
            config.disableTLS = true
            return try DatabaseServer([config])
        }
        let server = try start()
        #expect(try database?.defaultCollection().count == 0)
        server.stop()
    }

    /// Closes a database on another queue, because closing blocks and the client works on this one.
    private func close(_ database: Database) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try database.close() }) }
        }
    }

    @Test("configuring a listener with no collections or those of several databases raises an exception")
    func misuses() throws {
        let collections = [try served.defaultCollection(), try client.defaultCollection()]
        #expect(misuse { _ = URLEndpointListenerConfiguration(collections: []) }?.name == invalidArgument)
        #expect(misuse { _ = URLEndpointListenerConfiguration(collections: collections) }?.name == invalidArgument)
    }

    @Test("a listener copies its configuration, whose properties have default values")
    func configuration() throws {
        let config = URLEndpointListenerConfiguration(collections: [try served.defaultCollection()])
        #expect(config.port == URLEndpointListenerConfiguration.defaultPort)
        #expect(URLEndpointListenerConfiguration(config: config).port == config.port)
        config.port = nil
        #expect(URLEndpointListenerConfiguration(config: config).port == nil)
        #expect(config.networkInterface == nil)
        #expect(!config.disableTLS)
        #expect(config.tlsIdentity == nil)
        #expect(config.authenticator == nil)
        #expect(!config.readOnly)
        #expect(!config.enableDeltaSync)
        #expect(config.maxConnections == 256)
        #expect(URLEndpointListenerConfiguration.defaultPort == 0)
        let listener = URLEndpointListener(config: config)
        config.readOnly = true
        listener.config.readOnly = true
        #expect(!listener.config.readOnly)
    }
}
#endif
