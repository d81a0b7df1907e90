import LogCore

/// What a message of the log is about.
public enum LogDomain: UInt8, Sendable {
    /// Databases, documents, blobs and indexes.
    case database = 1
    /// Queries.
    case query = 2
    /// Replication.
    case replicator = 4
    /// Connections to other machines.
    case network = 8
    /// The listener that other devices connect to.
    case listener = 16
}

/// A set of ``LogDomain``s.
public struct LogDomains: OptionSet, Sendable {
    /// The sum of the domains' numbers.
    public let rawValue: Int

    /// The set of the domains whose numbers `rawValue` is the sum of.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Databases, documents, blobs and indexes.
    public static let database = LogDomains(.database)
    /// Queries.
    public static let query = LogDomains(.query)
    /// Replication.
    public static let replicator = LogDomains(.replicator)
    /// Connections to other machines.
    public static let network = LogDomains(.network)
    /// The listener that other devices connect to.
    public static let listener = LogDomains(.listener)
    /// Everything.
    public static let all: LogDomains = [.database, .query, .replicator, .network, .listener]

    init(_ domain: LogDomain) {
        self.init(rawValue: Int(domain.rawValue))
    }
}

extension LogDomain {
    init(_ domain: EventDomain) {
        switch domain {
        case .database: self = .database
        case .query: self = .query
        case .replicator: self = .replicator
        case .network: self = .network
        case .listener: self = .listener
        }
    }

    static let allCases: [LogDomain] = [.database, .query, .replicator, .network, .listener]

    /// The name, as it stands in lines.
    var name: String {
        switch self {
        case .database: "Database"
        case .query: "Query"
        case .replicator: "Replicator"
        case .network: "Network"
        case .listener: "Listener"
        }
    }
}
