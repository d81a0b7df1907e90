#if Replication
import CouchbaseLiteSwift
import Foundation
import Synchronization

/// Says on standard error what happens at a listener: who comes, who goes, who is refused. A line each, with the time.
final class ConnectionLogSink: LogSinkProtocol, Sendable {
    /// Lines of several connections must not be mixed up.
    private let turn = Mutex(())

    func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        let text = message.hasPrefix(Self.prefix) ? String(message.dropFirst(Self.prefix.count)) : message
        let line = "\(Date().formatted(.iso8601)) \(text)\n"
        turn.withLock { _ in FileHandle.standardError.write(Data(line.utf8)) }
    }

    private static let prefix = "Listener: "
}
#endif
