import Base
package import CouchbaseLiteSwift
import Foundation
import Synchronization

/// The last lines of the log of this process.
package final class LogBuffer: LogSinkProtocol, Sendable {
    private struct Line {
        let number: Int
        let time: Double
        let level: LogLevel
        let domain: LogDomain
        let text: String
    }

    private struct State {
        var lines: [Line] = []
        var lastNumber = 0
    }

    private static let maximumLines = 2_000
    /// Longer lines are cut, in characters.
    private static let maximumLength = 2_000
    private let state = Mutex(State())
    /// Called after each line.
    let observers = ChangeObservers()

    package init() {}

    package func writeLog(level: LogLevel, domain: LogDomain, message: String) {
        let time = Date().timeIntervalSince1970
        state.withLock { state in
            state.lastNumber += 1
            let text = String(message.prefix(Self.maximumLength))
            state.lines.append(Line(number: state.lastNumber, time: time, level: level, domain: domain, text: text))
            // Several at once, because each removal moves all others.
            if state.lines.count > Self.maximumLines + 200 { state.lines.removeFirst(200) }
        }
        observers.notify()
    }

    /// Returns the lines with higher numbers, and the number of the last one, or `number` if there is none.
    func lines(after number: Int) -> (lines: AnswerObject, last: Int) {
        let lines = state.withLock { state in state.lines.drop { $0.number <= number } }
        let values = lines.map { line -> AnswerObject in
            [
                "number": line.number, "time": line.time, "level": "\(line.level)",
                "domain": Self.name(of: line.domain), "text": line.text,
            ]
        }
        return (["lines": values], lines.last?.number ?? number)
    }

    private static func name(of domain: LogDomain) -> String {
        switch domain {
        case .database: "database"
        case .query: "query"
        case .replicator: "replicator"
        case .network: "network"
        case .listener: "listener"
        case .peerDiscovery, .mdns, .multipeer: "other"
        @unknown default: "other"
        }
    }
}

extension InspectedDatabase {
    /// `GET log`: the lines of the log with numbers after `after`.
    func logLines(_ request: APIRequest) throws -> APIResponse {
        .json(log.lines(after: try request.number("after", in: 0...Int.max, default: 0)).lines)
    }
}
