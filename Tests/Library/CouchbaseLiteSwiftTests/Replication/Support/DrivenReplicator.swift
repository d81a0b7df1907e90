#if Replication
import SyncCore
import Dispatch
import Replication
import SyncRuntime
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

/// A replicator with a clock that the test advances, connected to the test.
final class DrivenReplicator {
    let folder: DatabaseFolder
    let database: Database
    let collection: CouchbaseLiteSwift.Collection
    let clock = VirtualClock(1_000_000)
    let connector: ScriptedConnector
    let replicator: Replicator
    let statuses = Recorder<Replicator.Status>()
    let documents = Recorder<DocumentReplication>()
    private let queue = DispatchQueue(label: "test.listeners")

    init(
        continuous: Bool = false,
        _ collectionConfig: CollectionConfiguration = CollectionConfiguration(),
        logName: String = "Replicator",
        configure: (ReplicatorConfiguration) -> Void = { _ in }
    ) throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
        connector = ScriptedConnector([collection], collectionConfig, logName: logName)
        let config = ReplicatorConfiguration(
            target: URLEndpoint(url: try #require(URL(string: "ws://localhost/db")))
        )
        config.addCollection(collection, config: collectionConfig)
        config.continuous = continuous
        configure(config)
        replicator = Replicator(config: config, clock: clock, connector: connector)
        replicator.addChangeListener(withQueue: queue) { [statuses] in statuses.append($0.status) }
        replicator.addDocumentReplicationListener(withQueue: queue) { [documents] in documents.append($0) }
    }

    deinit {
        replicator.stop()
    }

    /// Waits until all work that needs no time is done.
    func settle() {
        for _ in 0..<4 { replicator.core.queue.sync {} }
        queue.sync {}
    }

    func start(reset: Bool = false) {
        replicator.start(reset: reset)
        settle()
    }

    func stop() {
        replicator.stop()
        settle()
    }

    var connection: ScriptedConnector.Connection {
        get throws { try #require(connector.connections.last) }
    }

    /// Opens the newest connection.
    func open(_ handshake: ChannelHandshake = ChannelHandshake()) throws {
        try connection.channel.tell(.opened(handshake))
        settle()
    }

    /// Makes the newest session report events.
    func report(_ reports: SessionReport...) throws {
        let actions = reports.map { SessionAction.report($0) }
        try connection.session.answerNext(with: actions)
        try connection.channel.tell(.frame([]))
        settle()
    }

    /// Ends the newest connection.
    func end(_ error: SyncError?) throws {
        try connection.channel.tell(.closed(ChannelClosure(code: error == nil ? 1000 : nil, isByPeer: false, error: error)))
        settle()
    }

    func advance(by milliseconds: Int64) {
        clock.advance(by: milliseconds)
        settle()
    }

    /// The notifications of listeners: levels, with the code of the error.
    var notified: [String] {
        statuses.all.map { status in
            "\(status.activity)" + ((status.error as NSError?).map { " \($0.code)" } ?? "")
        }
    }
}
#endif
