extension ModelCollection where Model: Encodable & Sendable {
    /// Saving values as `async` functions; see ``Database/async-swift.property`` for the rules.
    public var async: AsyncModelCollection<Model> { AsyncModelCollection(models: self) }
}

/// Saving the values of a ``ModelCollection`` as `async` functions, which can change the values; returned by ``ModelCollection/async``.
///
/// Values are encoded and decoded, and closures are called, on the threads of the database's `async` functions. Everything else is done by the
/// functions of ``ModelCollection`` inside of ``Database/read(_:)`` and ``Database/write(_:)``.
public struct AsyncModelCollection<Model: Codable & Sendable>: Sendable {
    /// The model collection.
    public let models: ModelCollection<Model>

    nonisolated(nonsending) func write<Value: Sendable>(
        _ body: @escaping @Sendable (ModelCollection<Model>) throws -> Value
    ) async throws -> Value { try await models.collection.async.write { [models] _ in try body(models) } }

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
}
