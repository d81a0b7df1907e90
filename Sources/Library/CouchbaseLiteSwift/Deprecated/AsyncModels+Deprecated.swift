import DatabaseRuntime

// The `async` forms of single functions of models, queries and blobs, from before `Database.read` and `Database.write`.

@available(*, deprecated, message: "Use Database.read(_:) and the function that is not async")
extension AsyncModelCollection {
    public nonisolated(nonsending) func get(_ id: String) async throws -> Model? {
        try await models.collection.database.read { [models] in try models.get(id) }
    }

    public nonisolated(nonsending) func all(
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) async throws -> [Model] {
        try await models.query(orderBy: sortDescriptors, limit: limit, offset: offset).async.execute()
    }

    public nonisolated(nonsending) func count(where predicate: Predicate<Model>? = nil) async throws -> Int {
        try await models.collection.database.read { [models] in try models.query(where: predicate).count() }
    }
}

@available(*, deprecated, message: "Use Database.write(_:) and the function that is not async")
extension AsyncModelCollection {
    @discardableResult
    public nonisolated(nonsending) func update(
        where predicate: Predicate<Model>? = nil,
        _ change: @escaping @Sendable (inout Model) throws -> Void
    ) async throws -> Int { try await write { try $0.query(where: predicate).update(change) } }

    public nonisolated(nonsending) func delete(_ model: Model) async throws { try await write { try $0.delete(model) } }

    @discardableResult
    public nonisolated(nonsending) func delete(_ model: Model, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.delete(model, concurrencyControl: concurrencyControl) }
    }

    @discardableResult
    public nonisolated(nonsending) func delete(where predicate: Predicate<Model>) async throws -> Int {
        try await write { try $0.query(where: predicate).delete() }
    }

    public nonisolated(nonsending) func purge(_ model: Model) async throws { try await write { try $0.purge(model) } }
}

@available(*, deprecated, message: "Use Database.read(_:) and the function that is not async")
extension AsyncQuery {
    public nonisolated(nonsending) func explain() async throws -> String { try await read { try $0.explain() } }

    public nonisolated(nonsending) var plan: QueryPlan {
        get async throws { try await read { try $0.plan } }
    }
}

extension ModelQuery {
    @available(*, deprecated, message: "Use Database.read(_:) and the functions that are not async")
    public var async: AsyncModelQuery<Model> { AsyncModelQuery(query: self) }
}

/// Running a ``ModelQuery`` as an `async` function.
@available(*, deprecated, message: "Use Database.read(_:) and the functions of ModelQuery")
public struct AsyncModelQuery<Model: Decodable>: Sendable {
    /// The query.
    public let query: ModelQuery<Model>

    public nonisolated(nonsending) func execute() async throws -> [Model] { try query.models(in: try await query.query.async.execute()) }
}

extension Blob {
    @available(*, deprecated, message: "Use Database.read(_:) and content")
    public var async: AsyncBlob { AsyncBlob(blob: self) }
}

/// Reading a ``Blob`` as an `async` function.
@available(*, deprecated, message: "Use Database.read(_:) and Blob.content")
public struct AsyncBlob: Sendable {
    /// The blob.
    public let blob: Blob

    public nonisolated(nonsending) var content: Data? {
        get async throws { try await WorkQueue.files.run { [blob] in blob.content } }
    }
}
