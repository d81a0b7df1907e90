public import CouchbaseLiteSwift
public import Logging

/// Hands the messages of the library to a logger of swift-log.
///
/// ```swift
/// LogSinks.custom = CustomLogSink(level: .info, logSink: SwiftLogSink(label: "app.database"))
/// ```
///
/// The domain goes along as metadata, `domain`, in lower case. The level of the logger counts as well as that of the
/// ``CouchbaseLiteSwift/CustomLogSink``.
public struct SwiftLogSink: LogSinkProtocol, Sendable {
    private let logger: Logging.Logger

    /// Hands messages to a logger of that label.
    public init(label: String = "CouchbaseLite") {
        self.init(Logging.Logger(label: label))
    }

    /// Hands messages to `logger`.
    public init(_ logger: Logging.Logger) {
        self.logger = logger
    }

    /// Hands a message on. `verbose` is swift-log's `debug`, and `debug` its `trace`.
    public func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        guard let level = Logging.Logger.Level(level) else { return }
        logger.log(level: level, "\(message)", metadata: ["domain": "\(domain)"], source: "CouchbaseLiteSwift")
    }
}

extension Logging.Logger.Level {
    /// The level that stands for `level`; nil for none.
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
