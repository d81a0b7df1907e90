import DatabaseRuntime
import QueryEngine

extension Database {
    /// The functions of the database that cannot be a part of ``read(_:)`` or ``write(_:)``, and running a single statement, as `async`
    /// functions.
    ///
    /// They have the same names as the blocking functions, but are members of a separate type: if a function existed in both forms in one
    /// type, asynchronous code could not call the blocking form any more.
    ///
    /// None of them blocks the calling thread. Those that write run one after another with the blocks of ``write(_:)``, in the order of the
    /// calls; those that only read run concurrently with them, at most four at the same time, like the blocks of ``read(_:)``. If a
    /// task is cancelled before its function has begun, `CancellationError` is thrown and nothing is changed. A function that has begun is
    /// completed, and its result is returned, except for a running query or statement, which is stopped and throws `CancellationError`.
    public var async: AsyncDatabase { AsyncDatabase(database: self) }

    /// Opening, deleting and copying of databases as `async` functions; see ``Database/async-swift.property`` for the rules.
    public static var async: AsyncDatabases { AsyncDatabases() }
}

/// Functions of a ``Database`` that may block, as `async` functions; returned by ``Database/async-swift.property``.
public struct AsyncDatabase: Sendable {
    /// The database.
    public let database: Database

    nonisolated(nonsending) func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await database.core.work.reads.run { [database] in try body(database) }
    }

    nonisolated(nonsending) func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await database.core.work.writes.run { [database] in try body(database) }
    }

    /// Runs a statement that changes documents, or a query; see ``Database/execute(_:parameters:)``. If the task is cancelled while the
    /// statement runs, it throws `CancellationError`, and nothing is changed.
    @discardableResult
    public nonisolated(nonsending) func execute(_ statement: QueryText, parameters: Parameters? = nil) async throws -> StatementResult {
        let cancellation = QueryCancellation()
        let values = Parameters(frozen: try throwingPublicErrors { try statement.parameters(adding: parameters) })
        let text = statement.text
        return try await cancellation.withTask { try await write { try $0.execute(text, values, cancellation) } }
    }

    /// Performs maintenance of the given kind; see ``Database/performMaintenance(type:)``.
    public nonisolated(nonsending) func performMaintenance(type: MaintenanceType) async throws {
        try await write { try $0.performMaintenance(type: type) }
    }

    /// Changes the documents that earlier versions of the app have stored; see ``Database/migrate(to:_:)``.
    public nonisolated(nonsending) func migrate(to version: Int, _ body: @escaping @Sendable (MigrationStep) throws -> Void) async throws {
        try await write { try $0.migrate(to: version, body) }
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
