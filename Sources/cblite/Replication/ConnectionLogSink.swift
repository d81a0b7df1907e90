#if Replication
import CouchbaseLiteSwift
import Foundation
import Synchronization

/// Writes the log of a listener to standard error: connections, disconnections and refused clients, one line each, with the time.
final class ConnectionLogSink: LogSinkProtocol, Sendable {
    /// Serializes writing, so that lines of different connections are not interleaved.
    private let turn = Mutex(())

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        let text = message.hasPrefix(Self.prefix) ? String(message.dropFirst(Self.prefix.count)) : message
        let line = "\(Date().formatted(.iso8601)) \(text)\n"
        turn.withLock { _ in StandardStreams.printError(line) }
    }

    private static let prefix = "Listener: "
}
#endif
