#if Replication
import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import Hub
import TestSupport

/// A database that syncs with the database `db` of a hub.
final class SyncingClient {
    let local: TemporaryDatabase
    let collections: [Collection]
    private let config: ReplicatorConfiguration
    private var running: (replicator: Replicator, token: ListenerToken)?

    /// What a replicator has reported: the IDs of documents, with a minus before those that the user may not read anymore.
    let events = Recorder<String>()

    /// - Parameters:
    ///   - names: The names of collections in the scope `travel`, in addition to the default collection.
    ///   - prepare: Changes the configuration.
    convenience init(
        _ hub: RunningHub,
        user: String,
        password: String = "secret",
        names: [String] = [],
        _ prepare: (ReplicatorConfiguration) -> Void = { _ in }
    ) throws {
        try self.init(
            port: hub.port,
            scheme: hub.hub.certificate == nil ? "ws" : "wss",
            user: user,
            password: password,
            names: names,
            prepare
        )
    }

    /// - Parameters:
    ///   - port: The port of the hub.
    ///   - scheme: The scheme of the URL.
    ///   - versioning: How the database names revisions.
    init(
        port: Int,
        scheme: String = "ws",
        user: String,
        password: String = "secret",
        names: [String] = [],
        versioning: DatabaseConfiguration.Versioning = .automatic,
        _ prepare: (ReplicatorConfiguration) -> Void = { _ in }
    ) throws {
        local = try TemporaryDatabase()
        if versioning == .versionVectors { try local.database.upgradeToVersionVectors() }
        var collections = [try local.database.defaultCollection()]
        for name in names { collections.append(try local.database.createCollection(name: name, scope: "travel")) }
        self.collections = collections
        guard let url = URL(string: "\(scheme)://127.0.0.1:\(port)/db") else { throw CocoaError(.fileNoSuchFile) }
        config = ReplicatorConfiguration(
            collections: CollectionConfiguration.fromCollections(collections),
            target: URLEndpoint(url: url)
        )
        config.authenticator = BasicAuthenticator(username: user, password: password)
        prepare(config)
    }

    /// The IDs of all documents of a collection, sorted.
    func ids(_ index: Int = 0) throws -> [String] {
        try local.database.createQuery("SELECT meta().id FROM \(collections[index].fullName) ORDER BY meta().id").execute().allResults()
            .compactMap { $0.string(at: 0) }
    }

    /// Replicates once, and returns the error.
    func sync() async throws -> (any Error)? {
        config.continuous = false
        let stopped = Recorder<(any Error)?>()
        let replicator = Replicator(config: config)
        let token = replicator.addChangeListener { change in
            if change.status.activity == .stopped { stopped.append(change.status.error) }
        }
        let documents = listen(to: replicator)
        replicator.start()
        _ = await stopped.reaches { !$0.isEmpty }
        token.remove()
        documents.remove()
        return stopped.all.first ?? nil
    }

    /// Starts continuous replication, and waits until it is idle.
    func start() async {
        config.continuous = true
        let replicator = Replicator(config: config)
        let levels = Recorder<Replicator.ActivityLevel>()
        let token = replicator.addChangeListener { levels.append($0.status.activity) }
        running = (replicator, listen(to: replicator))
        replicator.start()
        _ = await levels.reaches { $0.contains(.idle) || $0.contains(.stopped) }
        token.remove()
    }

    /// Ends continuous replication.
    func stop() async {
        guard let (replicator, documents) = running else { return }
        let stopped = Recorder<Bool>()
        let token = replicator.addChangeListener { if $0.status.activity == .stopped { stopped.append(true) } }
        replicator.stop()
        if replicator.status.activity == .stopped { stopped.append(true) }
        _ = await stopped.reaches { !$0.isEmpty }
        token.remove()
        documents.remove()
        running = nil
    }

    /// Waits until continuous replication has ended without being stopped, and returns the error.
    func waitForEnd() async -> (any Error)? {
        guard let (replicator, documents) = running else { return nil }
        let stopped = Recorder<Bool>()
        let token = replicator.addChangeListener { if $0.status.activity == .stopped { stopped.append(true) } }
        if replicator.status.activity == .stopped { stopped.append(true) }
        _ = await stopped.reaches { !$0.isEmpty }
        token.remove()
        documents.remove()
        running = nil
        return replicator.status.error
    }

    private func listen(to replicator: Replicator) -> ListenerToken {
        replicator.addDocumentReplicationListener { [events] replication in
            for document in replication.documents where !replication.isPush && document.error == nil {
                events.append((document.flags.contains(.accessRemoved) ? "-" : "") + document.id)
            }
        }
    }
}
#endif
