import DatabaseRuntime

extension Collection {
    /// The functions for objects of model classes, as `async` functions; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncCollection { AsyncCollection(collection: self) }
}

/// The functions of a ``Collection`` for objects of model classes, as `async` functions; returned by ``Collection/async``.
///
/// Such objects usually are not `Sendable`, so that a block of ``Database/write(_:)`` cannot use them. The caller must not use an object while
/// a function that it was passed to is running.
public struct AsyncCollection: Sendable {
    /// The collection.
    public let collection: Collection

    nonisolated(nonsending) func read<Value: Sendable>(_ body: @escaping @Sendable (Collection) throws -> Value) async throws -> Value {
        try await collection.database.core.work.reads.run { [collection] in try body(collection) }
    }

    nonisolated(nonsending) func write<Value: Sendable>(_ body: @escaping @Sendable (Collection) throws -> Value) async throws -> Value {
        try await collection.database.core.work.writes.run { [collection] in try body(collection) }
    }

    /// Reads a document as an object of a model class; see ``Collection/document(id:as:)``. The document is read in the background; the
    /// object is created by the caller's task.
    public nonisolated(nonsending) func document<T: DocumentDecodable>(id: String, as type: T.Type) async throws -> T? {
        let record = try await read { try $0.record(id) }
        return try record.map { try collection.object(type, $0) }
    }

    /// Saves an object as a document; see ``Collection/save(from:)``.
    public nonisolated(nonsending) func save<T: DocumentEncodable>(from object: T) async throws {
        try await writeObject { try collection.save(from: object) }
    }

    /// Saves an object as a document; see ``Collection/save(from:concurrencyControl:)``.
    @discardableResult
    public nonisolated(nonsending) func save<T: DocumentEncodable>(
        from object: T,
        concurrencyControl: ConcurrencyControl
    ) async throws -> Bool {
        try await writeObject { try collection.save(from: object, concurrencyControl: concurrencyControl) }
    }

    /// Saves an object as a document, and calls `conflictHandler` if the document was changed concurrently; see
    /// ``Collection/save(from:conflictHandler:)``.
    ///
    /// The handler is called without holding a lock, on the thread of the database's `async` writes. Later writes wait until it returns.
    @discardableResult
    public nonisolated(nonsending) func save<T: DocumentCodable>(
        from object: T,
        conflictHandler: @escaping @Sendable (T, T?) -> Bool
    ) async throws -> Bool {
        try await writeObject { try collection.save(from: object, conflictHandler: conflictHandler) }
    }

    /// Deletes the document of an object; see ``Collection/delete(for:)``.
    public nonisolated(nonsending) func delete<T: DocumentEncodable>(for object: T) async throws {
        try await writeObject { try collection.delete(for: object) }
    }

    /// Deletes the document of an object; see ``Collection/delete(for:concurrencyControl:)``.
    @discardableResult
    public nonisolated(nonsending) func delete<T: DocumentEncodable>(
        for object: T,
        concurrencyControl: ConcurrencyControl
    ) async throws -> Bool {
        try await writeObject { try collection.delete(for: object, concurrencyControl: concurrencyControl) }
    }

    /// Purges the document of an object; see ``Collection/purge(for:)``.
    public nonisolated(nonsending) func purge<T: DocumentEncodable>(for object: T) async throws {
        try await writeObject { try collection.purge(for: object) }
    }

    private nonisolated(nonsending) func writeObject<Value: Sendable>(_ change: @escaping () throws -> Value) async throws -> Value {
        // Safe because the caller waits for the result, and must not use the object meanwhile.
        nonisolated(unsafe) let change = change
        return try await write { _ in try change() }
    }
}
