import CouchbaseLiteSwift
import CouchbaseLiteSwiftLogBridge
import Logging
import Synchronization
import Testing

@Suite("Bridge to swift-log")
struct SwiftLogSinkTests {
    /// Stores the received messages as lines.
    private struct Handler: LogHandler {
        final class Lines: Sendable {
            let all = Mutex<[String]>([])
        }

        let lines: Lines
        var logLevel = Logging.Logger.Level.trace
        var metadata: Logging.Logger.Metadata = [:]

        init(_ lines: Lines) {
            self.lines = lines
        }

        subscript(metadataKey key: String) -> Logging.Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(
            level: Logging.Logger.Level,
            message: Logging.Logger.Message,
            metadata: Logging.Logger.Metadata?,
            source: String,
            file: String,
            function: String,
            line: UInt
        ) {
            lines.all.withLock { $0.append("\(level) \(source) \(metadata ?? [:]): \(message)") }
        }
    }

    private func sink(_ lines: Handler.Lines) -> SwiftLogSink {
        SwiftLogSink(Logging.Logger(label: "test", factory: { _ in Handler(lines) }))
    }

    @Test(
        "messages are forwarded to swift-log with their level",
        arguments: [
            (LogLevel.debug, "trace"), (.verbose, "debug"), (.info, "info"), (.warning, "warning"), (.error, "error"),
        ]
    )
    func levels(_ level: LogLevel, _ expected: String) {
        let lines = Handler.Lines()
        sink(lines).writeLog(level: level, domain: .query, message: "100 %@ {done}")
        #expect(lines.all.withLock { $0 } == ["\(expected) CouchbaseLiteSwift [\"domain\": query]: 100 %@ {done}"])
    }

    @Test("a message of level none is not forwarded to swift-log")
    func none() {
        let lines = Handler.Lines()
        sink(lines).writeLog(level: .none, domain: .query, message: "!")
        #expect(lines.all.withLock { $0 }.isEmpty)
    }

    @Test("SwiftLogSink can be used as a custom log sink")
    func isSink() {
        let lines = Handler.Lines()
        let custom = CustomLogSink(level: .info, logSink: sink(lines))
        custom.logSink.writeLog(level: .info, domain: .database, message: "opened")
        #expect(lines.all.withLock { $0 } == ["info CouchbaseLiteSwift [\"domain\": database]: opened"])
    }
}
