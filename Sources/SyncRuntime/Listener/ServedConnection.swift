#if Replication
import LogCore
import Replication
import SyncCore
import Synchronization
import Transport

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
    func take(_ report: SessionReport) {
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
