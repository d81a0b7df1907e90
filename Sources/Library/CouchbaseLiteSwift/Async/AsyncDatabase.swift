import DatabaseRuntime
import DocumentStore

extension Database {
    /// The functions of the database that may block, as `async` functions.
    ///
    /// They have the same names as the blocking functions, but are members of a separate type: if a function existed in both forms in one
    /// type, asynchronous code could not call the blocking form any more.
    ///
    /// ```swift
    /// let airports = try await database.async.createCollection(name: "airports")
    /// try await airports.async.save(document: document)
    /// ```
    ///
    /// None of them blocks the calling thread. Functions that change the database run one after another on a thread of their own, in the
    /// order of the calls. Functions that only read run concurrently with them, at most four at the same time; further calls are queued.
    ///
    /// If a task is cancelled before its function has begun, `CancellationError` is thrown and nothing is changed. A function that has
    /// begun is completed, and its result is returned, so a cancelled task always knows whether its change was committed. The exception is
    /// a running query, which is stopped and throws `CancellationError`.
    public var async: AsyncDatabase { AsyncDatabase(database: self) }

    /// Opening, deleting and copying of databases as `async` functions; see ``Database/async-swift.property`` for the rules.
    public static var async: AsyncDatabases { AsyncDatabases() }
}

/// The functions of a ``Database`` that may block, as `async` functions; returned by ``Database/async-swift.property``.
public struct AsyncDatabase: Sendable {
    /// The database.
    public let database: Database

    nonisolated(nonsending) func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await database.core.work.reads.run { [database] in try body(database) }
    }

    nonisolated(nonsending) func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await database.core.work.writes.run { [database] in try body(database) }
    }

    /// Runs `block` in one transaction, like ``Database/inBatch(using:)``, and returns its result.
    ///
    /// The transaction belongs to one thread, so `block` cannot wait for tasks. It must use the functions that are not `async`.
    ///
    /// ```swift
    /// let count = try await database.async.inBatch {
    ///     for document in documents { try collection.save(document: document) }
    ///     return collection.count
    /// }
    /// ```
    ///
    /// - Throws: The errors of ``Database/inBatch(using:)``; `CancellationError` if the task was cancelled before the block began.
    public nonisolated(nonsending) func inBatch<Value: Sendable>(_ block: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await write { try $0.wrappingBatch(block) }
    }

    /// Runs `body` in one transaction, like ``Database/batch(_:)``: returns its result, and passes on its error as it is.
    ///
    /// As in ``Database/inBatch(using:)``, `body` cannot wait for tasks, and must use the functions that are not `async`.
    ///
    /// - Throws: The errors of ``Database/batch(_:)``; `CancellationError` if the task was cancelled before `body` began.
    public nonisolated(nonsending) func batch<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await write { try $0.batch(body) }
    }

    /// Performs maintenance of the given kind; see ``Database/performMaintenance(type:)``.
    public nonisolated(nonsending) func performMaintenance(type: MaintenanceType) async throws {
        try await write { try $0.performMaintenance(type: type) }
    }

    /// Encrypts the database with another key, decrypts it, or encrypts an unencrypted database; see ``Database/changeEncryptionKey(_:)``.
    public nonisolated(nonsending) func changeEncryptionKey(_ key: EncryptionKey?) async throws {
        try await write { try $0.changeEncryptionKey(key) }
    }

    /// Closes the database, after its replicators and listeners have stopped and the batches of all threads have ended; see
    /// ``Database/close()``.
    public nonisolated(nonsending) func close() async throws { try await write { try $0.close() } }

    /// Closes the database, and deletes its directory with all files; see ``Database/delete()``.
    public nonisolated(nonsending) func delete() async throws { try await write { try $0.delete() } }

    // MARK: Scopes and collections

    /// Returns all scopes that contain collections, and the default scope; see ``Database/scopes()``.
    public nonisolated(nonsending) func scopes() async throws -> [Scope] { try await read { try $0.scopes() } }

    /// Returns the scope with the given name; see ``Database/scope(name:)``.
    public nonisolated(nonsending) func scope(name: String) async throws -> Scope? { try await read { try $0.scope(name: name) } }

    /// Returns the collections of a scope, sorted by name; see ``Database/collections(scope:)``.
    public nonisolated(nonsending) func collections(scope: String? = Database.defaultScopeName) async throws -> [Collection] {
        try await read { try $0.collections(scope: scope) }
    }

    /// Returns the collection with the given name; see ``Database/collection(name:scope:)``.
    public nonisolated(nonsending) func collection(name: String, scope: String? = Database.defaultScopeName) async throws -> Collection? {
        try await read { try $0.collection(name: name, scope: scope) }
    }

    /// Returns the collection with the given name, and creates it if it does not exist; see ``Database/createCollection(name:scope:)``.
    public nonisolated(nonsending) func createCollection(
        name: String,
        scope: String? = Database.defaultScopeName
    ) async throws -> Collection { try await write { try $0.createCollection(name: name, scope: scope) } }

    /// Deletes a collection with all its documents and indexes; see ``Database/deleteCollection(name:scope:)``.
    public nonisolated(nonsending) func deleteCollection(name: String, scope: String? = Database.defaultScopeName) async throws {
        try await write { try $0.deleteCollection(name: name, scope: scope) }
    }

    // MARK: Blobs and queries

    /// Stores the content of a blob, and sets the blob's digest; see ``Database/saveBlob(blob:)``.
    public nonisolated(nonsending) func saveBlob(blob: Blob) async throws { try await write { try $0.saveBlob(blob: blob) } }

    /// Returns the stored blob with a given digest; see ``Database/getBlob(properties:)``.
    public nonisolated(nonsending) func getBlob(properties: [String: Any]) async throws -> Blob? {
        // Safe because the caller waits for the result, and the values are only read.
        nonisolated(unsafe) let properties = properties
        return try await read { try $0.getBlob(properties: properties) }
    }

    /// Creates a query from SQL++ text; see ``Database/createQuery(_:)``.
    public nonisolated(nonsending) func createQuery(_ query: String) async throws -> Query { try await read { try $0.createQuery(query) } }
}

/// Opening, deleting and copying of databases as `async` functions; returned by the static ``Database/async-swift.type.property``.
public struct AsyncDatabases: Sendable {
    /// Opens a database; see ``Database/init(name:config:)``. Upgrading a database of an earlier release can take long.
    public nonisolated(nonsending) func open(
        name: String,
        config: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        // Safe because nothing else refers to this copy.
        nonisolated(unsafe) let config = DatabaseConfiguration(config: config)
        return try await WorkQueue.files.run { try Database(name: name, config: config) }
    }

    /// Deletes a database; see ``Database/delete(withName:inDirectory:)``.
    public nonisolated(nonsending) func delete(withName name: String, inDirectory directory: String? = nil) async throws {
        try await WorkQueue.files.run { try Database.delete(withName: name, inDirectory: directory) }
    }

    /// Copies a database; see ``Database/copy(fromPath:toDatabase:withConfig:)``.
    public nonisolated(nonsending) func copy(
        fromPath path: String,
        toDatabase name: String,
        withConfig config: DatabaseConfiguration? = nil
    ) async throws {
        // Safe because nothing else refers to this copy.
        nonisolated(unsafe) let config = DatabaseConfiguration(config: config)
        try await WorkQueue.files.run { try Database.copy(fromPath: path, toDatabase: name, withConfig: config) }
    }
}
