import DocumentStore
import LogCore
import SyncCore

extension SessionContext {
    /// Logs a message about the session. Must not be called inside `withOneSnapshot`, because a log sink may run code of the app.
    func log(_ level: EventLevel, _ message: @autoclosure () -> String) {
        EngineLog.log(level, .replicator, logName.isEmpty ? message() : "\(logName): \(message())")
    }

    /// Logs that a document was not replicated, with the error code. The message of the peer may contain parts of the document, so it is
    /// logged only at level `verbose`.
    func logFailure(of document: EndedDocument) {
        guard let error = document.error else { return }
        let what = "\(document.isPush ? "pushing" : "pulling") \"\(document.documentID)\" of \(document.collection.fullName)"
        let code = "\(error.domain.rawValue) \(error.code)"
        if error == .rejectedByPullFilter {
            // The app rejects these documents on purpose, and they may be most of all documents.
            return log(.verbose, "\(what) skipped: \(error.message)")
        } else if document.isTransient {
            log(.info, "\(what) failed temporarily: \(code)")
        } else {
            log(.warning, "\(what) failed: \(code)")
        }
        if !error.message.isEmpty { log(.verbose, "\(what): \(error.message)") }
    }
}
