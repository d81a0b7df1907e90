import DatabaseRuntime

extension Collection {
    /// The functions of the collection that may block, as `async` functions; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncCollection { AsyncCollection(collection: self) }
}

/// The functions of a ``Collection`` that may block, as `async` functions; returned by ``Collection/async``.
///
/// The caller must not use a mutable document while a function that it was passed to is running.
public struct AsyncCollection: Sendable {
    /// The collection.
    public let collection: Collection

    nonisolated(nonsending) func read<Value: Sendable>(_ body: @escaping @Sendable (Collection) throws -> Value) async throws -> Value {
        try await collection.database.core.work.reads.run { [collection] in try body(collection) }
    }

    nonisolated(nonsending) func write<Value: Sendable>(_ body: @escaping @Sendable (Collection) throws -> Value) async throws -> Value {
        try await collection.database.core.work.writes.run { [collection] in try body(collection) }
    }

    /// The number of documents, without deleted ones; 0 if the collection cannot be read. See ``Collection/count``.
    ///
    /// - Complexity: O(*n*), where *n* is the number of documents.
    /// - Throws: `CancellationError` if the task was cancelled before the count began.
    public nonisolated(nonsending) var count: UInt64 {
        get async throws { try await read { $0.count } }
    }

    /// Reads the document with the given ID; see ``Collection/document(id:)``.
    public nonisolated(nonsending) func document(id: String) async throws -> Document? { try await read { try $0.document(id: id) } }

    // MARK: Changing

    /// Saves a document; see ``Collection/save(document:)``.
    public nonisolated(nonsending) func save(document: MutableDocument) async throws { try await write { try $0.save(document: document) } }

    /// Saves a document; see ``Collection/save(document:concurrencyControl:)``.
    @discardableResult
    public nonisolated(nonsending) func save(document: MutableDocument, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.save(document: document, concurrencyControl: concurrencyControl) }
    }

    /// Saves a document, and calls `conflictHandler` if it was changed concurrently; see ``Collection/save(document:conflictHandler:)``.
    ///
    /// The handler is called without holding a lock, on the thread of the database's `async` writes. Later writes wait until it returns.
    @discardableResult
    public nonisolated(nonsending) func save(
        document: MutableDocument,
        conflictHandler: @escaping @Sendable (MutableDocument, Document?) -> Bool
    ) async throws -> Bool { try await write { try $0.save(document: document, conflictHandler: conflictHandler) } }

    /// Deletes a document; see ``Collection/delete(document:)``.
    public nonisolated(nonsending) func delete(document: Document) async throws { try await write { try $0.delete(document: document) } }

    /// Deletes a document; see ``Collection/delete(document:concurrencyControl:)``.
    @discardableResult
    public nonisolated(nonsending) func delete(document: Document, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.delete(document: document, concurrencyControl: concurrencyControl) }
    }

    /// Purges a document; see ``Collection/purge(document:)``.
    public nonisolated(nonsending) func purge(document: Document) async throws { try await write { try $0.purge(document: document) } }

    /// Purges the document with the given ID; see ``Collection/purge(id:)``.
    public nonisolated(nonsending) func purge(id: String) async throws { try await write { try $0.purge(id: id) } }

    // MARK: Expiration

    /// Sets the date at which a document expires; see ``Collection/setDocumentExpiration(id:expiration:)``.
    public nonisolated(nonsending) func setDocumentExpiration(id: String, expiration: Date?) async throws {
        try await write { try $0.setDocumentExpiration(id: id, expiration: expiration) }
    }

    /// Returns the date at which a document expires; see ``Collection/getDocumentExpiration(id:)``.
    public nonisolated(nonsending) func getDocumentExpiration(id: String) async throws -> Date? {
        try await read { try $0.getDocumentExpiration(id: id) }
    }

    // MARK: Indexes

    /// Returns the names of all indexes, sorted; see ``Collection/indexes()``.
    public nonisolated(nonsending) func indexes() async throws -> [String] { try await read { try $0.indexes() } }

    /// Returns the index with the given name; see ``Collection/index(withName:)``.
    public nonisolated(nonsending) func index(withName name: String) async throws -> QueryIndex? {
        try await read { try $0.index(withName: name) }
    }

    /// Creates an index; see ``Collection/createIndex(withName:config:)``.
    public nonisolated(nonsending) func createIndex(withName name: String, config: any IndexConfiguration) async throws {
        // Safe because the caller waits for the result, and the configuration is only read.
        nonisolated(unsafe) let config = config
        try await write { try $0.createIndex(withName: name, config: config) }
    }

    /// Creates an index; see ``Collection/createIndex(_:name:)``.
    public nonisolated(nonsending) func createIndex(_ index: any Index, name: String) async throws {
        // Safe because the caller waits for the result, and the index is only read.
        nonisolated(unsafe) let index = index
        try await write { try $0.createIndex(index, name: name) }
    }

    /// Deletes an index; see ``Collection/deleteIndex(forName:)``.
    public nonisolated(nonsending) func deleteIndex(forName name: String) async throws {
        try await write { try $0.deleteIndex(forName: name) }
    }
}
