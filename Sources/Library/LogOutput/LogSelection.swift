package import Base

/// The messages that a sink receives.
package struct LogSelection: Sendable {
    /// The minimum level; `nil` if the sink receives no messages.
    package let level: EventLevel?
    /// The sum of the raw values of the domains. It may contain bits of domains that do not exist.
    package let domains: Int

    /// The sum of the raw values of all domains of the public API (API 13). This library logs nothing of the last three.
    package static let allDomains = EventDomain.allCases.reduce(32 | 64 | 512) { $0 | Int($1.rawValue) }

    package init(level: EventLevel?, domains: Int = allDomains) {
        (self.level, self.domains) = (level, domains)
    }

    func includes(_ level: EventLevel, _ domain: EventDomain) -> Bool { domains & Int(domain.rawValue) != 0 && self.level.includes(level) }
}

/// The messages that are written to the console, as set by either generation of the API.
package struct ConsoleSelection: Sendable {
    /// The messages of all domains that have no level of their own; `nil` for none.
    package var all: LogSelection?
    /// The levels of domains that have their own level, which the oldest API sets.
    private var levels: [EventDomain: EventLevel?] = [:]

    /// Creates a selection in which no domain has a level of its own.
    package init(_ all: LogSelection?) { self.all = all }

    /// Gives a domain a level of its own; `nil` for no messages of this domain.
    package mutating func setLevel(_ level: EventLevel?, of domain: EventDomain) { levels.updateValue(level, forKey: domain) }

    /// Returns whether messages of this level and domain are written.
    package func includes(_ level: EventLevel, _ domain: EventDomain) -> Bool {
        if let own = levels[domain] { return own.includes(level) }
        return all?.includes(level, domain) ?? false
    }
}

extension EventLevel? {
    /// Returns whether a sink of this level receives messages of `level`.
    func includes(_ level: EventLevel) -> Bool { map { level.rawValue >= $0.rawValue } ?? false }
}
