// The functions of releases without collections. They use the default collection.
extension AsyncDatabase {
    /// Reads a document of the default collection; `nil` if it does not exist, was deleted, or cannot be read. See
    /// ``Database/document(withID:)``.
    public nonisolated(nonsending) func document(withID id: String) async throws -> Document? { try await read { $0.document(withID: id) } }

    /// Saves a document in the default collection; see ``AsyncCollection/save(document:)``.
    public nonisolated(nonsending) func saveDocument(_ document: MutableDocument) async throws {
        try await write { try $0.saveDocument(document) }
    }

    /// Saves a document in the default collection; see ``AsyncCollection/save(document:concurrencyControl:)``.
    @discardableResult
    public nonisolated(nonsending) func saveDocument(
        _ document: MutableDocument,
        concurrencyControl: ConcurrencyControl
    ) async throws -> Bool { try await write { try $0.saveDocument(document, concurrencyControl: concurrencyControl) } }

    /// Saves a document in the default collection; see ``AsyncCollection/save(document:conflictHandler:)``.
    @discardableResult
    public nonisolated(nonsending) func saveDocument(
        _ document: MutableDocument,
        conflictHandler: @escaping @Sendable (MutableDocument, Document?) -> Bool
    ) async throws -> Bool { try await write { try $0.saveDocument(document, conflictHandler: conflictHandler) } }

    /// Deletes a document of the default collection; see ``Database/deleteDocument(_:)``.
    public nonisolated(nonsending) func deleteDocument(_ document: Document) async throws {
        try await write { try $0.deleteDocument(document) }
    }

    /// Deletes a document of the default collection; see ``Database/deleteDocument(_:concurrencyControl:)``.
    @discardableResult
    public nonisolated(nonsending) func deleteDocument(_ document: Document, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.deleteDocument(document, concurrencyControl: concurrencyControl) }
    }

    /// Purges a document of the default collection; see ``Collection/purge(document:)``.
    public nonisolated(nonsending) func purgeDocument(_ document: Document) async throws {
        try await write { try $0.purgeDocument(document) }
    }

    /// Purges the document with the given ID from the default collection; see ``Collection/purge(id:)``.
    public nonisolated(nonsending) func purgeDocument(withID documentID: String) async throws {
        try await write { try $0.purgeDocument(withID: documentID) }
    }

    /// Sets the date at which a document of the default collection expires; see ``Collection/setDocumentExpiration(id:expiration:)``.
    public nonisolated(nonsending) func setDocumentExpiration(withID documentID: String, expiration: Date?) async throws {
        try await write { try $0.setDocumentExpiration(withID: documentID, expiration: expiration) }
    }

    /// Returns the date at which a document of the default collection expires; `nil` if it does not expire, does not exist, or cannot be
    /// read.
    public nonisolated(nonsending) func getDocumentExpiration(withID documentID: String) async throws -> Date? {
        try await read { $0.getDocumentExpiration(withID: documentID) }
    }
}
