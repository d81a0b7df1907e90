import DocumentStore
import LogCore
import SyncCore

extension SessionContext {
    /// Says something about the session. Not while the database is being read in one view: what is said may run code of the app.
    func log(_ level: EventLevel, _ message: @autoclosure () -> String) {
        EngineLog.log(level, .replicator, logName.isEmpty ? message() : "\(logName): \(message())")
    }

    /// Tells the log of a document that was not replicated. Why is said by code: words of the peer's may hold something of the document, so
    /// they are for `verbose` only.
    func logFailure(of document: EndedDocument) {
        guard let error = document.error else { return }
        let what =
            "\(document.isPush ? "pushing" : "pulling") \"\(document.documentID)\" of \(document.collection.fullName)"
        let code = "\(error.domain.rawValue) \(error.code)"
        if error == .rejectedByPullFilter {
            // The app's own wish, and perhaps that for most of the documents there are.
            return log(.verbose, "\(what) is not wanted: \(error.message)")
        } else if document.isTransient {
            log(.info, "\(what) failed for now: \(code)")
        } else {
            log(.warning, "\(what) failed: \(code)")
        }
        if !error.message.isEmpty { log(.verbose, "\(what): \(error.message)") }
    }
}
