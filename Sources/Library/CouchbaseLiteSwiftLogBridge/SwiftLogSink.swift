public import CouchbaseLiteSwift
public import Logging

/// Passes the log messages of the library to a logger of swift-log.
///
/// ```swift
/// LogSinks.custom = CustomLogSink(level: .info, logSink: SwiftLogSink(label: "app.database"))
/// ```
///
/// Each message has the domain in lower case as the metadata value `domain`. A message is logged only if both the level of the
/// ``CouchbaseLiteSwift/CustomLogSink`` and the level of the logger allow it.
public struct SwiftLogSink: LogSinkProtocol, Sendable {
    private let logger: Logging.Logger

    /// Creates a sink with a new logger.
    ///
    /// - Parameter label: The label of the logger; by default `CouchbaseLite`.
    public init(label: String = "CouchbaseLite") {
        self.init(Logging.Logger(label: label))
    }

    /// Creates a sink that writes to an existing logger.
    public init(_ logger: Logging.Logger) {
        self.logger = logger
    }

    /// Passes a message to the logger. `verbose` becomes swift-log's `debug`, and `debug` its `trace`; a message of level `none` is
    /// ignored.
    public func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        guard let level = Logging.Logger.Level(level) else { return }
        logger.log(level: level, "\(message)", metadata: ["domain": "\(domain)"], source: "CouchbaseLiteSwift")
    }
}

extension Logging.Logger.Level {
    /// Creates the corresponding level; `nil` for `none`.
    fileprivate init?(_ level: LogLevel) {
        switch level {
        case .debug: self = .trace
        case .verbose: self = .debug
        case .info: self = .info
        case .warning: self = .warning
        case .error: self = .error
        case .none: return nil
        }
    }
}
