import DocumentStore
import Fleece

extension Collection {
    /// Sets the date at which a document expires, rounded to milliseconds.
    ///
    /// An expired document is purged in the background: at its expiration date, or shortly after the database is next opened. Setting the
    /// date changes neither the document's revision nor its sequence number.
    ///
    /// - Parameters:
    ///   - id: The document's ID.
    ///   - expiration: The expiration date; `nil` means that the document does not expire. A date in the past purges the document at once,
    ///     but possibly after this function has returned.
    /// - Throws: ``CBLError/notFound`` if there is no such document; ``CBLError/notOpen`` if the collection was deleted or its database is
    ///   closed; ``CBLError/busy`` and ``CBLError/notWriteable`` as for ``save(document:)``.
    public func setDocumentExpiration(id: String, expiration: Date?) throws {
        try withOpenFile { file in
            let milliseconds = expiration.map { Int64(clamping: ($0.timeIntervalSince1970 * 1000).rounded()) }
            guard try file.transaction({ try store.setExpiration(milliseconds.map { max(1, $0) }, of: id, in: $0) })
            else {
                throw StoreError.notFound(what: "document \"\(id)\"")
            }
        }
    }

    /// Returns the date at which a document expires; `nil` if it does not expire or does not exist.
    ///
    /// - Throws: ``CBLError/notOpen`` if the collection was deleted or its database is closed.
    public func getDocumentExpiration(id: String) throws -> Date? {
        try withOpenFile { _ in
            try store.document(id, includingDeleted: true)?.expiration
                .map { Date(timeIntervalSince1970: Double($0) / 1000) }
        }
    }
}
