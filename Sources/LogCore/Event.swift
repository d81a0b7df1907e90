/// The severity of a log message.
package enum EventLevel: UInt8, CaseIterable, Sendable {
    case debug
    case verbose
    case info
    case warning
    case error
}

/// The subject area of a log message. The raw values are those of the public API (API 13).
package enum EventDomain: UInt8, CaseIterable, Sendable {
    case database = 1
    case query = 2
    case replicator = 4
    case network = 8
    case listener = 16
}
