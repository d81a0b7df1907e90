// The `async` forms of single functions, from before `Database.read` and `Database.write`.

@available(*, deprecated, message: "Use Database.write(_:) and the function that is not async")
extension AsyncDatabase {
    public nonisolated(nonsending) func inBatch<Value: Sendable>(_ block: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await write { try $0.wrappingBatch(block) }
    }

    public nonisolated(nonsending) func batch<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await database.write(body)
    }

    public nonisolated(nonsending) func createCollection(
        name: String,
        scope: String? = Database.defaultScopeName
    ) async throws -> Collection { try await write { try $0.createCollection(name: name, scope: scope) } }

    public nonisolated(nonsending) func deleteCollection(name: String, scope: String? = Database.defaultScopeName) async throws {
        try await write { try $0.deleteCollection(name: name, scope: scope) }
    }

    public nonisolated(nonsending) func saveBlob(blob: Blob) async throws { try await write { try $0.saveBlob(blob: blob) } }
}

@available(*, deprecated, message: "Use Database.read(_:) and the function that is not async")
extension AsyncDatabase {
    public nonisolated(nonsending) func scopes() async throws -> [Scope] { try await read { try $0.scopes() } }

    public nonisolated(nonsending) func scope(name: String) async throws -> Scope? { try await read { try $0.scope(name: name) } }

    public nonisolated(nonsending) func collections(scope: String? = Database.defaultScopeName) async throws -> [Collection] {
        try await read { try $0.collections(scope: scope) }
    }

    public nonisolated(nonsending) func collection(name: String, scope: String? = Database.defaultScopeName) async throws -> Collection? {
        try await read { try $0.collection(name: name, scope: scope) }
    }

    public nonisolated(nonsending) func getBlob(properties: [String: Any]) async throws -> Blob? {
        // Safe because the caller waits for the result, and the values are only read.
        nonisolated(unsafe) let properties = properties
        return try await read { try $0.getBlob(properties: properties) }
    }

    public nonisolated(nonsending) func createQuery(_ query: String) async throws -> Query { try await read { try $0.createQuery(query) } }
}
