#if Replication
import DatabaseRuntime
import DocumentStore
import Base
import Replication
import SyncRuntime
import Transport

extension ReplicatorConfiguration {
    /// Checks that a replicator can be created.
    func check() throws(Misuse) { _ = try connector(noting: nil) }

    /// Returns the connector for the target. Must be called on a copy that is not changed afterwards.
    ///
    /// - Parameter listeners: What is notified of resolved conflicts; `nil` if nothing is.
    func connector(noting listeners: ReplicatorListeners?) throws(Misuse) -> EndpointConnector {
        guard let database = entries.first?.collection.database else {
            throw .invalidArgument("Attempt to initiate replicator with empty collection")
        }
        return EndpointConnector(
            entries.map { ReplicatedCollection($0.collection.store, $0.options, $0.conflictSolver(noting: listeners)) },
            of: (database.name, database.core.activities),
            with: try channelFactory(from: database),
            EndpointConnector.Directions(pushes: replicatorType.pushes, pulls: replicatorType.pulls),
            isContinuous: continuous,
            purgesOnLostAccess: enableAutoPurge
        ) { try database.openFile() }
    }

    private func channelFactory(from source: Database) throws(Misuse) -> any ChannelFactory {
        switch target {
        case let endpoint as URLEndpoint: return webSocketFactory(for: endpoint)
        case let endpoint as MessageEndpoint:
            return MessageChannelFactory(endpoint.uid) {
                MessageChannel(endpoint.delegate.createConnection(endpoint: endpoint), endpoint.protocolType, isActive: true)
            }
        case let endpoint as DatabaseEndpoint:
            let target = endpoint.database
            if let path = source.path, source === target || path.isExactly(target.path) {
                throw .invalidArgument("A database cannot be replicated with itself.")
            }
            return LocalChannelFactory(to: target.name, target.core.activities, collections.map(\.store.id)) {
                try target.openFile()
            } read: {
                try target.withFile($0)
            }
        default: throw .invalidArgument("\(type(of: target)) is not a supported type of endpoint.")
        }
    }
}

extension ReplicatorConfiguration.Entry {
    /// Returns what resolves the conflicts of the collection.
    ///
    /// - Parameter listeners: What is notified of resolved conflicts; `nil` if nothing is.
    func conflictSolver(noting listeners: ReplicatorListeners?) -> CollectionConflictSolver {
        CollectionConflictSolver(collection, config.conflictResolver, asynchronous: config.asyncConflictResolver, noting: listeners)
    }

    fileprivate var options: CollectionOptions {
        var options = CollectionOptions(collection.store.id)
        options.channels = config.channels
        options.documentIDs = config.documentIDs
        options.pushFilter = config.pushFilter.map(revisionFilter)
        options.pullFilter = config.pullFilter.map(revisionFilter)
        return options
    }

    private func revisionFilter(_ isWanted: @escaping ReplicationFilter) -> RevisionFilter {
        { [collection] revision in
            let document = Document(revision.record, collection: collection)
            document.forbidMutableCopies()
            return isWanted(document, DocumentFlags(isDeleted: revision.isDeleted, isAccessRemoved: revision.isAccessRemoved))
        }
    }
}

extension ReplicatorConfiguration {
    /// Returns the factory for connections to a server. The configuration must be the private copy of a replicator.
    func webSocketFactory(for endpoint: URLEndpoint) -> WebSocketChannelFactory {
        // Safe because the copy is never changed.
        nonisolated(unsafe) let configuration = self
        return WebSocketChannelFactory(endpoint.url, acceptsParentDomainCookies: acceptParentDomainCookie) {
            try configuration.client(for: $0)
        }
    }

    /// Returns the configuration of a connection, without cookies and subprotocols.
    ///
    /// - Throws: `crypto` if a certificate of the configuration cannot be read.
    private func client(for url: EndpointURL) throws -> ClientConfiguration {
        var client = ClientConfiguration(url: url, subprotocols: [])
        client.headers = (headers ?? [:]).sorted { $0.key.isOrderedBefore($1.key) }.map { ($0.key, $0.value) }
        client.networkInterface = networkInterface
        client.proxy = proxy.map {
            ProxyConfiguration(isSecure: $0.kind == .https, host: $0.host, port: $0.port, username: $0.username, password: $0.password)
        }
        client.asksForLastSequence = estimatesProgress && replicatorType.pulls
        if heartbeat > 0 { client.webSocket.heartbeat = heartbeat }
        switch authenticator {
        case let basic as BasicAuthenticator:
            client.authentication = .basic(BasicCredentials(username: basic.username, password: basic.password))
        case let session as SessionAuthenticator:
            client.authentication = .session(id: session.sessionID, cookieName: session.cookieName)
        case let certificate as ClientCertificateAuthenticator:
            client.tls.identity = certificate.identity.data
        default: break
        }
        client.tls.trust = try ServerTrust(
            pinned: pinnedServerCertificate?.der,
            selfSignedOnly: acceptOnlySelfSignedServerCertificate,
            roots: (trustedRootCertificates ?? []).map(\.der)
        )
        return client
    }
}
#endif
