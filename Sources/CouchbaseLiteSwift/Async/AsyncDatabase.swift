import DocumentStore

extension Database {
    /// The functions that may block, as `async` functions.
    ///
    /// They have the names of the others, and stand apart from them because a function that exists in both forms could not be
    /// called in its old form any more where `await` is possible:
    ///
    /// ```swift
    /// let airports = try await database.async.createCollection(name: "airports")
    /// try await airports.async.save(document: document)
    /// ```
    ///
    /// All block no thread of the caller's. Those that change the database run one after the other on a thread of their own,
    /// in the order of the calls; those that only read run beside them, up to four at a time.
    ///
    /// A task that is cancelled before its turn has come gets a `CancellationError`, and nothing has happened. Work that has
    /// begun is brought to its end, and its outcome returned: a cancelled task never has to wonder whether its save was committed.
    /// A query that has begun ends, with the same error.
    public var async: AsyncDatabase { AsyncDatabase(database: self) }

    /// Opening, deleting and copying, as `async` functions; see ``Database/async-swift.property``.
    public static var async: AsyncDatabases { AsyncDatabases() }
}

/// The functions of a ``Database`` that may block, as `async` functions: what ``Database/async-swift.property`` gives.
public struct AsyncDatabase: Sendable {
    /// The database.
    public let database: Database

    /// Runs `block` in one transaction, as ``Database/inBatch(using:)`` does, and returns what it returns.
    ///
    /// The transaction belongs to a thread, so the block cannot wait for tasks: in it, use the functions that are not `async`.
    ///
    /// ```swift
    /// let count = try await database.async.inBatch {
    ///     for document in documents { try collection.save(document: document) }
    ///     return collection.count
    /// }
    /// ```
    ///
    /// - Throws: As ``Database/inBatch(using:)``.
    public nonisolated(nonsending) func inBatch<Value: Sendable>(_ block: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await database.work.write { [database] in try database.batch(block) }
    }

    /// Does maintenance work; see ``Database/performMaintenance(type:)``.
    public nonisolated(nonsending) func performMaintenance(type: MaintenanceType) async throws {
        try await database.work.write { [database] in try database.performMaintenance(type: type) }
    }

    /// Encrypts the database with another key, decrypts it, or encrypts a plain one; see ``Database/changeEncryptionKey(_:)``.
    public nonisolated(nonsending) func changeEncryptionKey(_ key: EncryptionKey?) async throws {
        try await database.work.write { [database] in try database.changeEncryptionKey(key) }
    }

    /// Closes the database when the batches of all threads have ended; see ``Database/close()``.
    public nonisolated(nonsending) func close() async throws {
        try await database.work.write { [database] in try database.close() }
    }

    /// Closes the database and removes its directory with all files; see ``Database/delete()``.
    public nonisolated(nonsending) func delete() async throws {
        try await database.work.write { [database] in try database.delete() }
    }

    // MARK: Scopes and collections

    /// All scopes that have collections, and the default scope; see ``Database/scopes()``.
    public nonisolated(nonsending) func scopes() async throws -> [Scope] {
        try await database.work.read { [database] in try database.scopes() }
    }

    /// The scope of that name; see ``Database/scope(name:)``.
    public nonisolated(nonsending) func scope(name: String) async throws -> Scope? {
        try await database.work.read { [database] in try database.scope(name: name) }
    }

    /// The collections of a scope, in the order of their names; see ``Database/collections(scope:)``.
    public nonisolated(nonsending) func collections(scope: String? = Database.defaultScopeName) async throws -> [Collection] {
        try await database.work.read { [database] in try database.collections(scope: scope) }
    }

    /// The collection of that name; see ``Database/collection(name:scope:)``.
    public nonisolated(nonsending) func collection(name: String, scope: String? = Database.defaultScopeName) async throws -> Collection? {
        try await database.work.read { [database] in try database.collection(name: name, scope: scope) }
    }

    /// The collection of that name, which is created if there is none; see ``Database/createCollection(name:scope:)``.
    public nonisolated(nonsending) func createCollection(
        name: String,
        scope: String? = Database.defaultScopeName
    ) async throws -> Collection {
        try await database.work.write { [database] in try database.createCollection(name: name, scope: scope) }
    }

    /// Deletes a collection with all its documents and indexes; see ``Database/deleteCollection(name:scope:)``.
    public nonisolated(nonsending) func deleteCollection(name: String, scope: String? = Database.defaultScopeName) async throws {
        try await database.work.write { [database] in try database.deleteCollection(name: name, scope: scope) }
    }

    // MARK: Blobs and queries

    /// Stores a blob's content, which gives it its digest; see ``Database/saveBlob(blob:)``.
    public nonisolated(nonsending) func saveBlob(blob: Blob) async throws {
        try await database.work.write { [database] in try database.saveBlob(blob: blob) }
    }

    /// The blob with a digest, as it stands in documents; see ``Database/getBlob(properties:)``.
    public nonisolated(nonsending) func getBlob(properties: [String: Any]) async throws -> Blob? {
        // The caller is waiting, and the values are only read.
        nonisolated(unsafe) let properties = properties
        return try await database.work.read { [database] in try database.getBlob(properties: properties) }
    }

    /// Makes a query of SQL++ text; see ``Database/createQuery(_:)``.
    public nonisolated(nonsending) func createQuery(_ query: String) async throws -> Query {
        try await database.work.read { [database] in try database.createQuery(query) }
    }
}

/// Opening, deleting and copying databases, as `async` functions: what the static ``Database/async-swift.type.property`` gives.
public struct AsyncDatabases: Sendable {
    /// Opens a database; see ``Database/init(name:config:)``. An upgrade of an old one may take its time.
    public nonisolated(nonsending) func open(
        name: String,
        config: DatabaseConfiguration = DatabaseConfiguration()
    ) async throws -> Database {
        // A copy that nobody else knows.
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
        // A copy that nobody else knows.
        nonisolated(unsafe) let config = DatabaseConfiguration(config: config)
        try await WorkQueue.files.run { try Database.copy(fromPath: path, toDatabase: name, withConfig: config) }
    }
}

extension WorkQueue {
    /// Where the work is done that belongs to no open database.
    static let files = WorkQueue("CouchbaseLite.files", width: 4)
}

/// The threads on which a database does what tasks ask it for.
struct DatabaseWork: Sendable {
    private let writes = WorkQueue("CouchbaseLite.writes", width: 1)
    /// As many as there are connections to read with.
    private let reads = WorkQueue("CouchbaseLite.reads", width: 4)

    nonisolated(nonsending) func write<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await writes.run(work)
    }

    nonisolated(nonsending) func read<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await reads.run(work)
    }
}
