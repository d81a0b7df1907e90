import DocumentStore
import Fleece

extension Collection {
    /// Sets when a document expires, to the millisecond; nil means never. Neither its revision nor its sequence changes.
    ///
    /// - Throws: `notFound` when there is no such document.
    public func setDocumentExpiration(id: String, expiration: Date?) throws {
        try withOpenFile { file in
            let milliseconds = expiration.map { Int64(clamping: ($0.timeIntervalSince1970 * 1000).rounded()) }
            guard try file.transaction({ try store.setExpiration(milliseconds.map { max(1, $0) }, of: id, in: $0) })
            else {
                throw StoreError.notFound(what: "document \"\(id)\"")
            }
        }
    }

    /// When a document expires; nil when it does not, or when there is none.
    public func getDocumentExpiration(id: String) throws -> Date? {
        try withOpenFile { _ in
            try store.document(id, includingDeleted: true)?.expiration
                .map { Date(timeIntervalSince1970: Double($0) / 1000) }
        }
    }
}
