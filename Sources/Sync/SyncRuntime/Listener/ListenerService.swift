#if Replication
import Dispatch
package import DocumentStore
import Base
package import Foundation
package import Replication
import SyncCore
import Synchronization
package import Transport

/// A running listener, from its start to its stop. It serves one database or several.
package final class ListenerService: Sendable {
    /// The connections of all clients.
    package let connections = PassiveConnections()
    private let served: [ExactString: ServedDatabase]
    private let listener: WebSocketListener
    private let usesTLS: Bool
    private let isStopping = Atomic(false)
    private let onStop: @Sendable (ListenerService) -> Void
    private let activities = Mutex<[(activities: DatabaseActivities, number: Int)]>([])
    /// The group is left when the service has stopped.
    private let end = DispatchGroup()

    /// A database that is served.
    package struct ServedDatabase: Sendable {
        let name: String
        let file: DatabaseFile
        let activities: DatabaseActivities
        let options: PassiveOptions
        /// Keeps the file open until the service is released, even if the app releases its database and its listener.
        private let owner: any AnyObject & Sendable

        /// - Parameters:
        ///   - name: The name in the URL.
        ///   - owner: The object that closes the file when it is released.
        package init(
            _ name: String,
            _ file: DatabaseFile,
            _ activities: DatabaseActivities,
            _ options: PassiveOptions,
            owner: any AnyObject & Sendable
        ) {
            self.owner = owner
            self.name = name
            self.file = file
            self.activities = activities
            self.options = options
        }
    }

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - configuration: How clients connect. Which databases are served is added to it.
    ///   - onStop: Called when the service starts stopping.
    package init(
        _ databases: [ServedDatabase],
        _ configuration: ListenerConfiguration,
        onStop: @escaping @Sendable (ListenerService) -> Void
    ) throws {
        self.onStop = onStop
        let served = Dictionary(databases.map { (ExactString($0.name), $0) }) { first, _ in first }
        self.served = served
        usesTLS = configuration.tls != nil
        var configuration = configuration
        configuration.servesDatabase = { served[ExactString($0)] != nil }
        // A database gets version vectors only while it is not served.
        let subprotocols = try served.mapValues { try Subprotocol.accepted(by: $0.file) }
        configuration.subprotocolsOfDatabase = { subprotocols[ExactString($0)] }
        let connections = connections
        listener = WebSocketListener(configuration) { connection in
            guard let database = served[ExactString(connection.databaseName)] else { return connection.channel.cancel() }
            var options = database.options
            options.logName = "Listener, \(connection.remoteAddress)"
            let log = ServedConnection(connection)
            log.logBeginning()
            connections.add(connection.channel, database.file, options, report: { log.handle($0) })
        }
        end.enter()
        do {
            for database in databases { try begin(database) }
            try listener.start()
            // A database may have been closed concurrently.
            if isEnding {
                listener.stop {}
                throw StoreError.notOpen(what: "a database to serve")
            }
        } catch {
            if beginEnding() { finish() }
            throw error
        }
    }

    private func begin(_ database: ServedDatabase) throws {
        // The stop closure retains the service until it has stopped, even if the app releases its listener.
        let connections = connections
        let number = database.activities.begin(stop: { self.stop() }, isOfThisThread: { ActivityQueue.isCurrent(for: connections) })
        guard let number else { throw StoreError.notOpen(what: "database \"\(database.name)\"") }
        activities.withLock { $0.append((database.activities, number)) }
    }

    /// The port; `nil` if the service is not listening.
    package var port: UInt16? { listener.port.flatMap { UInt16(exactly: $0) } }

    /// Returns the URLs of a database: one for each address of this device, or that of the configured interface; `nil` if the service is
    /// not listening.
    package func urls(of database: String) -> [URL]? {
        guard listener.port != nil else { return nil }
        return listener.hosts.compactMap { url(of: database, host: $0) }
    }

    /// Returns the URL of a database for an address or a host name of this device.
    package func url(of database: String, host: String) -> URL? {
        guard let port = listener.port else { return nil }
        let scheme = usesTLS ? "wss" : "ws"
        let name = database.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? database
        return URL(string: "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(name)")
    }

    /// Stops the service, which stays alive until it has stopped.
    package func stop() {
        guard beginEnding() else { return }
        onStop(self)
        listener.stop { [self] in
            // The channels are closed; their sessions may still use the database.
            connections.stop { [self] in finish() }
        }
    }

    /// Whether the service is stopping or has stopped.
    package var isEnding: Bool { isStopping.load(ordering: .acquiring) }

    /// Returns whether the service was not stopping before.
    private func beginEnding() -> Bool { !isStopping.exchange(true, ordering: .acquiringAndReleasing) }

    /// Waits until the service has stopped.
    package func waitUntilStopped() { end.wait() }

    private func finish() {
        let ended = activities.withLock { activities in
            defer { activities = [] }
            return activities
        }
        for (activities, number) in ended { activities.end(number) }
        end.leave()
    }
}

/// Logs one client's connection to a listener: its start, and its end with the duration and the number of documents.
final class ServedConnection: Sendable {
    private let connection: IncomingConnection
    private let beginning = ContinuousClock.now
    private let counts = Mutex(SessionCounts())

    init(_ connection: IncomingConnection) { self.connection = connection }

    func logBeginning() {
        EngineLog.log(.info, .listener, "Listener: \(client) has come in, to database \"\(connection.databaseName)\"")
    }

    /// Handles a report of the client's session, and logs its end.
    func handle(_ report: SessionReport) {
        switch report {
        case .status(let status): counts.withLock { $0 = status.counts }
        case .ended(let error):
            let counts = counts.withLock { $0 }
            let seconds = (ContinuousClock.now - beginning).components.seconds
            let work = "\(counts.pushed) sent, \(counts.pulled + counts.removed) received, \(counts.refused) refused"
            let reason = error.map { ": \($0)" } ?? ""
            EngineLog.log(.info, .listener, "Listener: \(client) disconnected after \(seconds) s, \(work)\(reason)")
        case .documents, .conflict: break
        }
    }

    private var client: String {
        connection.username.map { "\(connection.remoteAddress), user \"\($0)\"," } ?? connection.remoteAddress
    }
}
#endif
