import DocumentStore

// The functions of releases before collections: they act on the default collection.
extension Database {
    /// The document with that ID in the default collection; nil when there is none, or it cannot be read.
    public func document(withID id: String) -> Document? {
        do {
            return try defaultCollection().document(id: id)
        } catch {
            warn("document \"\(id)\" cannot be read: \(error.localizedDescription)")
            return nil
        }
    }

    /// The document with that ID in the default collection as a fragment, whether or not there is one.
    public subscript(key: String) -> DocumentFragment {
        DocumentFragment(document(withID: key))
    }

    /// Saves a document in the default collection; see ``Collection/save(document:)``.
    public func saveDocument(_ document: MutableDocument) throws {
        try defaultCollection().save(document: document)
    }

    /// Saves a document in the default collection; see ``Collection/save(document:concurrencyControl:)``.
    @discardableResult
    public func saveDocument(_ document: MutableDocument, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try defaultCollection().save(document: document, concurrencyControl: concurrencyControl)
    }

    /// Saves a document in the default collection; see ``Collection/save(document:conflictHandler:)``.
    @discardableResult
    public func saveDocument(_ document: MutableDocument, conflictHandler: @escaping (MutableDocument, Document?) -> Bool) throws -> Bool {
        try defaultCollection().save(document: document, conflictHandler: conflictHandler)
    }

    /// Deletes a document of the default collection. Unlike ``Collection/delete(document:)`` it has no effect, and throws
    /// nothing, when the document has been purged.
    public func deleteDocument(_ document: Document) throws {
        try deleteDocument(document, concurrencyControl: .lastWriteWins)
    }

    /// Deletes a document of the default collection. Unlike ``Collection/delete(document:concurrencyControl:)`` it has no
    /// effect, and returns true, when the document has been purged.
    @discardableResult
    public func deleteDocument(_ document: Document, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try defaultCollection().deletionOutcome(of: document, concurrencyControl) != .conflict
    }

    /// Removes every trace of a document of the default collection; see ``Collection/purge(document:)``.
    public func purgeDocument(_ document: Document) throws {
        try defaultCollection().purge(document: document)
    }

    /// Removes every trace of the document with that ID in the default collection; see ``Collection/purge(id:)``.
    public func purgeDocument(withID documentID: String) throws {
        try defaultCollection().purge(id: documentID)
    }

    /// Sets when a document of the default collection expires; see ``Collection/setDocumentExpiration(id:expiration:)``.
    public func setDocumentExpiration(withID documentID: String, expiration: Date?) throws {
        try defaultCollection().setDocumentExpiration(id: documentID, expiration: expiration)
    }

    /// When a document of the default collection expires; nil when it does not, or when there is none.
    public func getDocumentExpiration(withID documentID: String) -> Date? {
        (try? defaultCollection().getDocumentExpiration(id: documentID)) ?? nil
    }
}
