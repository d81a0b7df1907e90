#if Replication
import CouchbaseLiteSwift
import Foundation

/// The declarations of replication as apps in Swift 5 mode use them: what does not compile here breaks apps.
enum ReplicationContract {
    static func configuration(_ database: Database, _ collection: Collection) {
        let url = URLEndpoint(url: URL(string: "wss://example.com/db")!)
        let _: URL = url.url
        let local = DatabaseEndpoint(database: database)
        let _: Database = local.database
        let target: Endpoint = url
        var config = ReplicatorConfiguration(target: target)
        config = ReplicatorConfiguration(database: database, target: local)
        config = ReplicatorConfiguration(config: config)
        let _: Database = config.database
        let _: Endpoint = config.target
        config.replicatorType = .pushAndPull
        config.replicatorType = .push
        config.replicatorType = .pull
        let _: UInt8 = ReplicatorType.pull.rawValue
        config.continuous = true
        config.authenticator = BasicAuthenticator(username: "a", password: "b")
        config.authenticator = SessionAuthenticator(sessionID: "a")
        config.authenticator = SessionAuthenticator(sessionID: "a", cookieName: nil)
        config.acceptOnlySelfSignedServerCertificate = true
        config.pinnedServerCertificate = nil
        config.headers = ["a": "b"]
        config.networkInterface = "en0"
        config.acceptParentDomainCookie = true
        config.channels = ["a"]
        config.documentIDs = ["a"]
        var calls = 0
        config.pushFilter = { (document: Document, flags: DocumentFlags) in
            calls += 1
            return !flags.contains(.deleted)
        }
        config.pullFilter = { document, flags in !flags.contains(.accessRemoved) && document.id != "" }
        config.conflictResolver = ConflictResolver.default
        config.allowReplicatingInBackground = true
        config.heartbeat = 1
        config.maxAttempts = 1
        config.maxAttemptWaitTime = 1
        config.enableAutoPurge = true
        var one = CollectionConfiguration()
        one.channels = ["a"]
        one.documentIDs = ["b"]
        one.pushFilter = { _, _ in true }
        one.pullFilter = nil
        one.conflictResolver = LocalWins()
        config.addCollection(collection)
        let _: ReplicatorConfiguration = config.addCollection(collection, config: one)
        let _: ReplicatorConfiguration = config.addCollections([collection], config: one)
        let _: CollectionConfiguration? = config.collectionConfig(collection)
        let _: [Collection] = config.collections
        let _: ReplicatorConfiguration = config.removeCollection(collection)
        let _: (ReplicatorType, Bool, Bool, TimeInterval, UInt, UInt) = (
            ReplicatorConfiguration.defaultType, ReplicatorConfiguration.defaultContinuous,
            ReplicatorConfiguration.defaultAllowReplicatingInBackground, ReplicatorConfiguration.defaultHeartbeat,
            ReplicatorConfiguration.defaultMaxAttemptsSingleShot,
            ReplicatorConfiguration.defaultMaxAttemptsContinuous
        )
        let _: (TimeInterval, TimeInterval, Bool, Bool, Bool) = (
            ReplicatorConfiguration.defaultMaxAttemptsWaitTime, ReplicatorConfiguration.defaultMaxAttemptWaitTime,
            ReplicatorConfiguration.defaultEnableAutoPurge,
            ReplicatorConfiguration.defaultSelfSignedCertificateOnly,
            ReplicatorConfiguration.defaultAcceptParentCookies
        )
    }

    static func replicator(_ config: ReplicatorConfiguration, _ collection: Collection) throws {
        let replicator = Replicator(config: config)
        let _: ReplicatorConfiguration = replicator.config
        let status: Replicator.Status = replicator.status
        let _: Replicator.ActivityLevel = status.activity
        let _: (UInt64, UInt64) = (status.progress.completed, status.progress.total)
        let _: Error? = status.error
        let _: SecCertificate? = replicator.serverCertificate
        var levels: [Replicator.ActivityLevel] = []
        let token = replicator.addChangeListener { (change: ReplicatorChange) in
            levels.append(change.status.activity)
            let _: Replicator = change.replicator
        }
        replicator.addChangeListener(withQueue: nil) { change in
            switch change.status.activity {
            case .stopped, .offline, .connecting, .idle, .busy: break
            @unknown default: break
            }
        }
        let other = replicator.addDocumentReplicationListener { (replication: DocumentReplication) in
            let _: (Replicator, Bool) = (replication.replicator, replication.isPush)
            for document in replication.documents {
                let _: (String, DocumentFlags, Error?) = (document.id, document.flags, document.error)
                let _: (String, String) = (document.scope, document.collection)
            }
        }
        replicator.addDocumentReplicationListener(withQueue: DispatchQueue.main) { _ in }
        replicator.removeChangeListener(withToken: token)
        other.remove()
        replicator.start()
        replicator.start(reset: false)
        replicator.stop()
        let _: Set<String> = try replicator.pendingDocumentIds()
        let _: Bool = try replicator.isDocumentPending("a")
        let _: Set<String> = try replicator.pendingDocumentIds(collection: collection)
        let _: Bool = try replicator.isDocumentPending("a", collection: collection)
        let _: DocumentFlags = [.deleted, .accessRemoved, DocumentFlags(rawValue: 1)]
    }

    /// A resolver with its own state, as in apps.
    class LocalWins: ConflictResolverProtocol {
        var count = 0

        func resolve(conflict: Conflict) -> Document? {
            count += 1
            let _: String = conflict.documentID
            return conflict.localDocument ?? conflict.remoteDocument
        }
    }

    static func listeners(_ database: Database, _ collection: Collection) throws {
        var config = URLEndpointListenerConfiguration(collections: [collection])
        config = URLEndpointListenerConfiguration(database: database)
        config = URLEndpointListenerConfiguration(config: config)
        config.port = 4984
        config.networkInterface = nil
        config.disableTLS = true
        config.tlsIdentity = nil
        config.readOnly = true
        config.enableDeltaSync = true
        config.authenticator = ListenerPasswordAuthenticator { name, password in name == password }
        config.authenticator = ListenerPasswordAuthenticator { (_: String, _: String) -> Bool in true }
        config.authenticator = ListenerCertificateAuthenticator { (certs: [SecCertificate]) in !certs.isEmpty }
        config.authenticator = ListenerCertificateAuthenticator(rootCerts: [])
        let _: (UInt16, Bool, Bool, Bool) = (
            URLEndpointListenerConfiguration.defaultPort, URLEndpointListenerConfiguration.defaultDisableTls,
            URLEndpointListenerConfiguration.defaultReadOnly,
            URLEndpointListenerConfiguration.defaultEnableDeltaSync
        )
        let listener = URLEndpointListener(config: config)
        let _: (UInt16?, TLSIdentity?, [URL]?) = (listener.port, listener.tlsIdentity, listener.urls)
        let status: URLEndpointListener.ConnectionStatus = listener.status
        let _: (UInt64, UInt64) = (status.connectionCount, status.activeConnectionCount)
        let _: ([Collection], Database) = (listener.config.collections, listener.config.database)
        try listener.start()
        listener.stop()
    }

    static func identities(_ certificates: [SecCertificate]) throws {
        let attributes = [
            certAttrCommonName: "a", certAttrPseudonym: "a", certAttrGivenName: "a", certAttrSurname: "a",
            certAttrOrganization: "a", certAttrOrganizationUnit: "a", certAttrPostalAddress: "a",
            certAttrLocality: "a",
            certAttrPostalCode: "a", certAttrStateOrProvince: "a", certAttrCountry: "CH", certAttrEmailAddress: "a",
            certAttrHostname: "a", certAttrURL: "a", certAttrIPAddress: "::1", certAttrRegisteredID: "1.2.3",
        ]
        let identity: TLSIdentity = try TLSIdentity.createIdentity(forServer: true, attributes: attributes, expiration: nil, label: "a")
        let _: ([SecCertificate], Date) = (identity.certs, identity.expiration)
        let _: TLSIdentity? = try TLSIdentity.identity(withLabel: "a")
        let _: TLSIdentity? = try TLSIdentity.identity(withCerts: certificates)
        let _: TLSIdentity = try TLSIdentity.importIdentity(withData: Data(), password: nil, label: "a")
        try TLSIdentity.deleteIdentity(withLabel: "a")
        let authenticator: Authenticator = ClientCertificateAuthenticator(identity: identity)
        _ = authenticator
    }
}

/// A transport of an app, with its own state.
class ContractConnection: MessageEndpointConnection {
    var replicatorConnection: ReplicatorConnection?
    var sent: [Data] = []

    func open(connection: ReplicatorConnection, completion: @escaping (Bool, MessagingError?) -> Void) {
        replicatorConnection = connection
        completion(true, nil)
    }

    func close(error: Error?, completion: @escaping () -> Void) {
        replicatorConnection?.close(error: error.map { MessagingError(error: $0, isRecoverable: false) })
        completion()
    }

    func send(message: Message, completion: @escaping (Bool, MessagingError?) -> Void) {
        sent.append(message.toData())
        replicatorConnection?.receive(message: Message.fromData(Data()))
        completion(true, nil)
    }
}

class ContractDelegate: MessageEndpointDelegate {
    func createConnection(endpoint: MessageEndpoint) -> MessageEndpointConnection {
        let _: (String, Any?, ProtocolType) = (endpoint.uid, endpoint.target, endpoint.protocolType)
        return ContractConnection()
    }

    func use(_ database: Database, _ collection: Collection) {
        let endpoint: Endpoint = MessageEndpoint(uid: "a", target: self, protocolType: .messageStream, delegate: self)
        _ = endpoint
        var config = MessageEndpointListenerConfiguration(database: database, protocolType: .byteStream)
        config = MessageEndpointListenerConfiguration(collections: [collection], protocolType: .byteStream)
        let _: (Database, [Collection], ProtocolType) = (config.database, config.collections, config.protocolType)
        let listener = MessageEndpointListener(config: config)
        let connection = ContractConnection()
        let token = listener.addChangeListener { (change: MessageEndpointListenerChange) in
            let _: (MessageEndpointConnection, Replicator.Status) = (change.connection, change.status)
        }
        listener.addChangeListener(withQueue: nil) { _ in }
        listener.accept(connection: connection)
        listener.close(connection: connection)
        listener.closeAll()
        listener.removeChangeListener(token: token)
    }
}
#endif
