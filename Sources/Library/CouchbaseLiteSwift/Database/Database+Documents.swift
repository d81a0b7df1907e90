import DocumentStore

// The functions of releases without collections. They use the default collection.
extension Database {
    /// Reads a document of the default collection; see ``Collection/document(id:)``.
    ///
    /// - Returns: The document; `nil` if it does not exist, was deleted, or cannot be read. The latter is logged as a warning.
    @available(*, deprecated, message: "Use defaultCollection().document(id:)")
    public func document(withID id: String) -> Document? { Collection.readable(id) { try defaultCollection().document(id: id) } }

    /// Reads the document with the ID `key` from the default collection, as a fragment. The document may be missing.
    @available(*, deprecated, message: "Use defaultCollection()[key]")
    public subscript(key: String) -> DocumentFragment { DocumentFragment(document(withID: key)) }

    /// Saves a document in the default collection; see ``Collection/save(document:)``.
    @available(*, deprecated, message: "Use defaultCollection().save(document:)")
    public func saveDocument(_ document: MutableDocument) throws { try defaultCollection().save(document: document) }

    /// Saves a document in the default collection; see ``Collection/save(document:concurrencyControl:)``.
    @available(*, deprecated, message: "Use defaultCollection().save(document:concurrencyControl:)")
    @discardableResult
    public func saveDocument(_ document: MutableDocument, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try defaultCollection().save(document: document, concurrencyControl: concurrencyControl)
    }

    /// Saves a document in the default collection; see ``Collection/save(document:conflictHandler:)``.
    @available(*, deprecated, message: "Use defaultCollection().save(document:conflictHandler:)")
    @discardableResult
    public func saveDocument(_ document: MutableDocument, conflictHandler: @escaping (MutableDocument, Document?) -> Bool) throws -> Bool {
        try defaultCollection().save(document: document, conflictHandler: conflictHandler)
    }

    /// Deletes a document of the default collection; see ``Collection/delete(document:)``. Unlike that function it does nothing, and does
    /// not throw, if the document was purged.
    @available(*, deprecated, message: "Use defaultCollection().delete(document:)")
    public func deleteDocument(_ document: Document) throws { try deleteDocument(document, concurrencyControl: .lastWriteWins) }

    /// Deletes a document of the default collection; see ``Collection/delete(document:concurrencyControl:)``. Unlike that function it does
    /// nothing, and returns `true`, if the document was purged.
    @available(*, deprecated, message: "Use defaultCollection().delete(document:concurrencyControl:)")
    @discardableResult
    public func deleteDocument(_ document: Document, concurrencyControl: ConcurrencyControl) throws -> Bool {
        try defaultCollection().deletionOutcome(of: document, concurrencyControl) != .conflict
    }

    /// Purges a document of the default collection; see ``Collection/purge(document:)``.
    @available(*, deprecated, message: "Use defaultCollection().purge(document:)")
    public func purgeDocument(_ document: Document) throws { try defaultCollection().purge(document: document) }

    /// Purges the document with the given ID from the default collection; see ``Collection/purge(id:)``.
    @available(*, deprecated, message: "Use defaultCollection().purge(id:)")
    public func purgeDocument(withID documentID: String) throws { try defaultCollection().purge(id: documentID) }

    /// Sets the date at which a document of the default collection expires; see ``Collection/setDocumentExpiration(id:expiration:)``.
    @available(*, deprecated, message: "Use defaultCollection().setDocumentExpiration(id:expiration:)")
    public func setDocumentExpiration(withID documentID: String, expiration: Date?) throws {
        try defaultCollection().setDocumentExpiration(id: documentID, expiration: expiration)
    }

    /// Returns the date at which a document of the default collection expires; `nil` if it does not expire, does not exist, or cannot be
    /// read.
    @available(*, deprecated, message: "Use defaultCollection().getDocumentExpiration(id:)")
    public func getDocumentExpiration(withID documentID: String) -> Date? {
        (try? defaultCollection().getDocumentExpiration(id: documentID)) ?? nil
    }
}
