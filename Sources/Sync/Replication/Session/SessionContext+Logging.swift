import Base
import DocumentStore
import SyncCore

extension SessionContext {
    /// Logs a message about the session. Must not be called inside `withOneSnapshot`, because a log sink may run code of the app.
    func log(_ level: EventLevel, _ message: @autoclosure () -> String) {
        EngineLog.log(level, .replicator, logName.isEmpty ? message() : "\(logName): \(message())")
    }

    /// Logs that a document was not replicated, at level `verbose`: there may be many, see ``FailureLog``.
    func logFailure(of document: EndedDocument) {
        guard let error = document.error else { return }
        guard error != .rejectedByPullFilter else { return log(.verbose, "\(document.attempt) skipped: \(error.message)") }
        log(.verbose, "\(document.attempt) \(document.isTransient ? "failed temporarily" : "failed"): \(error)")
    }
}

/// The documents that were not replicated since the last message about them. There is one message for all: a server may refuse thousands.
struct FailureLog {
    private var refused = Kind()
    private var postponed = Kind()

    private struct Kind {
        var count = 0
        var first: EndedDocument?

        mutating func add(_ document: EndedDocument) {
            count += 1
            if first == nil { first = document }
        }
    }

    /// The maximum number of characters of a peer's reason in a message.
    private static let maximumReason = 200

    /// Adds a document that was not replicated.
    mutating func add(_ document: EndedDocument) {
        if document.isTransient { postponed.add(document) } else { refused.add(document) }
    }

    /// Returns and forgets the messages. Each contains the reason for the first document, as the peer has given it.
    mutating func drainLines() -> [(level: EventLevel, line: String)] {
        defer { self = FailureLog() }
        let lines = [
            (EventLevel.warning, line(refused, "not replicated")), (.info, line(postponed, "not replicated for now")),
        ]
        return lines.compactMap { level, line in line.map { (level, $0) } }
    }

    private func line(_ kind: Kind, _ what: String) -> String? {
        guard let first = kind.first, let error = first.error else { return nil }
        let reason = "\(first.attempt) failed: \(error.description.prefix(Self.maximumReason))"
        return kind.count == 1 ? reason : "\(kind.count) documents were \(what), the first because \(reason)"
    }
}

extension EndedDocument {
    /// What was tried, for a message.
    fileprivate var attempt: String { "\(isPush ? "pushing" : "pulling") \"\(documentID)\" of \(collection.fullName)" }
}
