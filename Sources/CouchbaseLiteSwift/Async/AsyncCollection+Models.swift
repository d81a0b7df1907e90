// Objects of model classes. They are rarely Sendable: one that is given to a function here must be left alone until the call
// has returned.
extension AsyncCollection {
    /// Reads a document as an object of a model class; see ``Collection/document(id:as:)``. The object is made by the caller's
    /// task, once the document has been read.
    public nonisolated(nonsending) func document<T: DocumentDecodable>(id: String, as type: T.Type) async throws -> T? {
        let record = try await work.read { [collection] in try collection.record(id) }
        return try record.map { try collection.object(type, $0) }
    }

    /// Saves an object as a document; see ``Collection/save(from:)``.
    public nonisolated(nonsending) func save<T: DocumentEncodable>(from object: T) async throws {
        try await write { try collection.save(from: object) }
    }

    /// Saves an object as a document; see ``Collection/save(from:concurrencyControl:)``.
    @discardableResult
    public nonisolated(nonsending) func save<T: DocumentEncodable>(
        from object: T,
        concurrencyControl: ConcurrencyControl
    ) async throws -> Bool {
        try await write { try collection.save(from: object, concurrencyControl: concurrencyControl) }
    }

    /// Saves an object as a document; asks `conflictHandler` when somebody else has changed that meanwhile. See
    /// ``Collection/save(from:conflictHandler:)``.
    ///
    /// The handler is called outside of any lock, on the thread of the database's writes: those that come after this one
    /// wait for it.
    @discardableResult
    public nonisolated(nonsending) func save<T: DocumentCodable>(
        from object: T,
        conflictHandler: @escaping @Sendable (T, T?) -> Bool
    ) async throws -> Bool {
        try await write { try collection.save(from: object, conflictHandler: conflictHandler) }
    }

    /// Deletes the document of an object; see ``Collection/delete(for:)``.
    public nonisolated(nonsending) func delete<T: DocumentEncodable>(for object: T) async throws {
        try await write { try collection.delete(for: object) }
    }

    /// Deletes the document of an object; see ``Collection/delete(for:concurrencyControl:)``.
    @discardableResult
    public nonisolated(nonsending) func delete<T: DocumentEncodable>(
        for object: T,
        concurrencyControl: ConcurrencyControl
    ) async throws -> Bool {
        try await write { try collection.delete(for: object, concurrencyControl: concurrencyControl) }
    }

    /// Removes every trace of the document of an object; see ``Collection/purge(for:)``.
    public nonisolated(nonsending) func purge<T: DocumentEncodable>(for object: T) async throws {
        try await write { try collection.purge(for: object) }
    }

    private nonisolated(nonsending) func write<Value: Sendable>(_ change: @escaping () throws -> Value) async throws -> Value {
        // The caller, who is waiting, leaves the object alone.
        nonisolated(unsafe) let change = change
        return try await work.write { try change() }
    }
}
