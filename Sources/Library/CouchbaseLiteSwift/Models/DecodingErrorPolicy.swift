import Base
import ModelCoding

/// What happens if a document that a query finds cannot be decoded as a value of the model type.
///
/// One such document, which another version of the app or another program may have written, need not take the other results with it. Only
/// ``CBLError/decodingError`` of a single document is covered; other errors are thrown.
public enum DecodingErrorPolicy: Sendable {
    /// The error is thrown, and there are no results. It names the document.
    case `throw`
    /// The document is left out, and a warning that names it is logged.
    case skip
    /// The document is left out, and a function is called with its ID and the error that would have been thrown. It is called on the thread
    /// that decodes the documents, and must be fast.
    case report(@Sendable (_ id: String, _ error: any Error) -> Void)

    /// Returns if the document is left out.
    func handle(_ error: ModelRowError) throws {
        switch self {
        case .throw: throw error
        case .skip: EngineLog.log(.warning, .query, "left out of the results of a query: \(error)")
        case .report(let report): report(error.documentID, error.publicError)
        }
    }
}
