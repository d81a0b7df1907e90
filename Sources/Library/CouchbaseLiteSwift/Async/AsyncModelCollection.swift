import DatabaseRuntime

extension ModelCollection where Model: Sendable {
    /// The functions of the model collection that may block, as `async` functions; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncModelCollection<Model> { AsyncModelCollection(models: self) }
}

/// The functions of a ``ModelCollection`` that may block, as `async` functions; returned by ``ModelCollection/async``.
///
/// Values are encoded and decoded, and closures are called, on the threads of the database's `async` functions.
public struct AsyncModelCollection<Model: Codable & Sendable>: Sendable {
    /// The model collection.
    public let models: ModelCollection<Model>

    private var collection: AsyncCollection { models.collection.async }

    private nonisolated(nonsending) func read<Value: Sendable>(
        _ body: @escaping @Sendable (ModelCollection<Model>) throws -> Value
    ) async throws -> Value { try await collection.read { [models] _ in try body(models) } }

    private nonisolated(nonsending) func write<Value: Sendable>(
        _ body: @escaping @Sendable (ModelCollection<Model>) throws -> Value
    ) async throws -> Value { try await collection.write { [models] _ in try body(models) } }

    /// Reads a document; see ``ModelCollection/get(_:)``.
    public nonisolated(nonsending) func get(_ id: String) async throws -> Model? { try await read { try $0.get(id) } }

    /// Reads all documents of the collection; see ``ModelCollection/all(orderBy:limit:offset:)``.
    public nonisolated(nonsending) func all(
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) async throws -> [Model] {
        try await models.query(nil, sortDescriptors, limit, offset).async.execute()
    }

    /// Returns the number of documents that satisfy a condition; see ``ModelCollection/count(where:)``.
    public nonisolated(nonsending) func count(where predicate: Predicate<Model>? = nil) async throws -> Int {
        try await read { try $0.count(where: predicate) }
    }

    // MARK: Changing

    /// Saves a value as a document; see `ModelCollection.save(_:)`.
    public nonisolated(nonsending) func save(_ model: inout Model) async throws { model = try await save(model) }

    /// Saves a value as a document; see `ModelCollection.save(_:)`.
    @discardableResult
    public nonisolated(nonsending) func save(_ model: Model) async throws -> Model { try await write { try $0.save(model) } }

    /// Saves a value as a document; see `ModelCollection.save(_:concurrencyControl:)`.
    @discardableResult
    public nonisolated(nonsending) func save(_ model: inout Model, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        guard let saved = try await save(model, concurrencyControl: concurrencyControl) else { return false }
        model = saved
        return true
    }

    /// Saves a value as a document; see `save(_:concurrencyControl:)` of a ``ModelCollection``.
    @discardableResult
    public nonisolated(nonsending) func save(_ model: Model, concurrencyControl: ConcurrencyControl) async throws -> Model? {
        try await write { try $0.save(model, concurrencyControl: concurrencyControl) }
    }

    /// Saves a value as a document, and resolves conflicts; see `ModelCollection.save(_:conflictHandler:)`. Later writes
    /// wait until the handler returns.
    @discardableResult
    public nonisolated(nonsending) func save(
        _ model: inout Model,
        conflictHandler: @escaping @Sendable (inout Model, Model?) throws -> Bool
    ) async throws -> Bool {
        guard let saved = try await save(model, conflictHandler: conflictHandler) else { return false }
        model = saved
        return true
    }

    /// Saves a value as a document, and resolves conflicts; see `ModelCollection.save(_:conflictHandler:)`. Later writes wait
    /// until the handler returns.
    @discardableResult
    public nonisolated(nonsending) func save(
        _ model: Model,
        conflictHandler: @escaping @Sendable (inout Model, Model?) throws -> Bool
    ) async throws -> Model? {
        try await write { try $0.save(model, conflictHandler: conflictHandler) }
    }

    /// Changes the documents that satisfy a condition; see ``ModelCollection/update(where:_:)``.
    @discardableResult
    public nonisolated(nonsending) func update(
        where predicate: Predicate<Model>? = nil,
        _ change: @escaping @Sendable (inout Model) throws -> Void
    ) async throws -> Int { try await write { try $0.update(where: predicate, change) } }

    /// Deletes the document of a value; see ``ModelCollection/delete(_:)``.
    public nonisolated(nonsending) func delete(_ model: Model) async throws { try await write { try $0.delete(model) } }

    /// Deletes the document of a value; see ``ModelCollection/delete(_:concurrencyControl:)``.
    @discardableResult
    public nonisolated(nonsending) func delete(_ model: Model, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.delete(model, concurrencyControl: concurrencyControl) }
    }

    /// Deletes the documents that satisfy a condition; see ``ModelCollection/delete(where:)``.
    @discardableResult
    public nonisolated(nonsending) func delete(where predicate: Predicate<Model>) async throws -> Int {
        try await write { try $0.delete(where: predicate) }
    }

    /// Removes all data of a value's document; see ``ModelCollection/purge(_:)``.
    public nonisolated(nonsending) func purge(_ model: Model) async throws { try await write { try $0.purge(model) } }
}
