// The `async` forms of single functions, from before `Database.read` and `Database.write`.

@available(*, deprecated, message: "Use Database.read(_:) and the function that is not async")
extension AsyncCollection {
    public nonisolated(nonsending) var count: UInt64 {
        get async throws { try await read { $0.count } }
    }

    public nonisolated(nonsending) func document(id: String) async throws -> Document? { try await read { try $0.document(id: id) } }

    public nonisolated(nonsending) func getDocumentExpiration(id: String) async throws -> Date? {
        try await read { try $0.getDocumentExpiration(id: id) }
    }

    public nonisolated(nonsending) func indexes() async throws -> [String] { try await read { try $0.indexes() } }

    public nonisolated(nonsending) func index(withName name: String) async throws -> QueryIndex? {
        try await read { try $0.index(withName: name) }
    }
}

@available(*, deprecated, message: "Use Database.write(_:) and the function that is not async")
extension AsyncCollection {
    public nonisolated(nonsending) func save(document: MutableDocument) async throws { try await write { try $0.save(document: document) } }

    @discardableResult
    public nonisolated(nonsending) func save(document: MutableDocument, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.save(document: document, concurrencyControl: concurrencyControl) }
    }

    @discardableResult
    public nonisolated(nonsending) func save(
        document: MutableDocument,
        conflictHandler: @escaping @Sendable (MutableDocument, Document?) -> Bool
    ) async throws -> Bool { try await write { try $0.save(document: document, conflictHandler: conflictHandler) } }

    public nonisolated(nonsending) func delete(document: Document) async throws { try await write { try $0.delete(document: document) } }

    @discardableResult
    public nonisolated(nonsending) func delete(document: Document, concurrencyControl: ConcurrencyControl) async throws -> Bool {
        try await write { try $0.delete(document: document, concurrencyControl: concurrencyControl) }
    }

    public nonisolated(nonsending) func purge(document: Document) async throws { try await write { try $0.purge(document: document) } }

    public nonisolated(nonsending) func purge(id: String) async throws { try await write { try $0.purge(id: id) } }

    public nonisolated(nonsending) func setDocumentExpiration(id: String, expiration: Date?) async throws {
        try await write { try $0.setDocumentExpiration(id: id, expiration: expiration) }
    }

    public nonisolated(nonsending) func createIndex(withName name: String, config: any IndexConfiguration) async throws {
        // Safe because the caller waits for the result, and the configuration is only read.
        nonisolated(unsafe) let config = config
        try await write { try $0.createIndex(withName: name, config: config) }
    }

    public nonisolated(nonsending) func createIndex(_ index: any Index, name: String) async throws {
        // Safe because the caller waits for the result, and the index is only read.
        nonisolated(unsafe) let index = index
        try await write { try $0.createIndex(index, name: name) }
    }

    public nonisolated(nonsending) func deleteIndex(forName name: String) async throws {
        try await write { try $0.deleteIndex(forName: name) }
    }
}
