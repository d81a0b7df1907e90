import Base
import LogOutput

/// The severity of a log message. A sink receives the messages of its level and of all higher levels.
public enum LogLevel: UInt8, Sendable {
    /// Messages for developers of the library.
    case debug = 0
    /// Each step of the work. Only this level and `debug` may contain queries and values from documents.
    case verbose
    /// Events of databases, such as opening, upgrading, closing and compacting, and of replicators.
    case info
    /// A problem that does not stop the work.
    case warning
    /// A failure.
    case error
    /// No messages.
    case none
}

// The levels that messages can have are the cases of `EventLevel`, with the same raw values.
extension LogLevel {
    init(_ level: EventLevel?) { self = level.flatMap { LogLevel(rawValue: $0.rawValue) } ?? .none }

    /// The level of messages; `nil` for ``none``.
    var event: EventLevel? { EventLevel(rawValue: rawValue) }
}

/// The subject of a log message.
public enum LogDomain: UInt, Sendable {
    /// Databases, documents, blobs and indexes.
    case database = 1
    /// Queries.
    case query = 2
    /// Replication.
    case replicator = 4
    /// Connections to other devices and servers.
    case network = 8
    /// Listeners that accept connections from other devices.
    case listener = 16
    /// Discovery of peers, of which this library logs nothing.
    case peerDiscovery = 32
    /// Multicast DNS, of which this library logs nothing.
    case mdns = 64
    /// Replication among many peers, of which this library logs nothing.
    case multipeer = 512
}

/// A set of ``LogDomain``s.
public struct LogDomains: OptionSet, Sendable {
    /// The sum of the raw values of the domains.
    public let rawValue: Int

    /// Creates the set of domains whose raw values add up to `rawValue`.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Databases, documents, blobs and indexes.
    public static let database = LogDomains(.database)
    /// Queries.
    public static let query = LogDomains(.query)
    /// Replication.
    public static let replicator = LogDomains(.replicator)
    /// Connections to other devices and servers.
    public static let network = LogDomains(.network)
    /// Listeners that accept connections from other devices.
    public static let listener = LogDomains(.listener)
    /// Discovery of peers, of which this library logs nothing.
    public static let peerDiscovery = LogDomains(.peerDiscovery)
    /// Multicast DNS, of which this library logs nothing.
    public static let mdns = LogDomains(.mdns)
    /// Replication among many peers, of which this library logs nothing.
    public static let multipeer = LogDomains(.multipeer)
    /// All domains.
    public static let all = LogDomains(rawValue: LogSelection.allDomains)

    private init(_ domain: LogDomain) { self.init(rawValue: Int(domain.rawValue)) }

    func contains(_ domain: EventDomain) -> Bool { contains(LogDomains(LogDomain(domain))) }
}

// The cases of `EventDomain` have the same raw values.
extension LogDomain {
    init(_ domain: EventDomain) { self = LogDomain(rawValue: domain.rawValue) ?? .database }

    /// The domain of messages of this library; `nil` for one that it logs nothing of.
    var event: EventDomain? { EventDomain(rawValue: rawValue) }
}
