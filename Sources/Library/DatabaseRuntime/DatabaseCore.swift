import Base
package import DocumentStore
package import SQLiteEngine
import Synchronization

/// The open file of a `Database` object, and what runs on behalf of that object: listeners, observed queries, replicators, and `async`
/// functions. Thread-safe.
///
/// The object that owns the core must be the only one that retains it: the file is closed when the core is released.
package final class DatabaseCore: Sendable {
    /// The name, without the directory and the extension.
    package let name: String
    /// The options with which the file was opened, without the key.
    package let options: DatabaseFile.Options
    /// The listeners of the `Database` object, and of its collections and documents.
    package let listeners: ListenerHub
    /// The queries that have listeners.
    package let observedQueries = ObservedQueries()
    /// The replicators and listeners for other devices that use the database, and must end before it is closed.
    package let activities = DatabaseActivities()
    /// The queues of the `async` functions.
    package let work = DatabaseWork()
    /// The blocks of `read` and `write` that run on behalf of tasks.
    package let blocks = WorkBlocks()

    /// What exists only while the database is open.
    ///
    /// An object, because its reference count costs less than that of the file: weak references to the file make each retain and release of
    /// it several times slower, and each call of the API gets the state.
    private final class OpenState: Sendable {
        let file: DatabaseFile
        let defaultCollection: CollectionStore

        init(_ file: DatabaseFile, _ defaultCollection: CollectionStore) { (self.file, self.defaultCollection) = (file, defaultCollection) }
    }
    private let state: Mutex<OpenState?>
    private let secret: Mutex<EncryptionSecret?>

    /// Opens the database at `path`, or creates it.
    ///
    /// - Throws: The errors of `DatabaseRegistry.open`.
    package init(_ name: String, at path: String, _ options: DatabaseFile.Options) throws {
        let file = try DatabaseRegistry.open(path, options: options)
        let store: CollectionStore
        do {
            guard let found = try file.collection(.default) else {
                throw StoreError.notFound(what: "the default collection of the database at \(path)")
            }
            store = found
        } catch {
            DatabaseRegistry.closeLoggingErrors(file)
            throw error
        }
        self.name = name
        var options = options
        secret = Mutex(options.key?.withoutPassword())
        options.key = nil
        self.options = options
        listeners = ListenerHub(file.changes)
        state = Mutex(OpenState(file, store))
    }

    deinit {
        listeners.stop()
        observedQueries.stop()
        if let open = state.withLock({ $0 }) {
            DatabaseRegistry.closeLoggingErrors(open.file)
            Self.logClosing(open.file)
        }
    }

    /// The current encryption key; `nil` if the database is not encrypted. A password itself is not retained.
    package var key: EncryptionSecret? { secret.withLock { $0 } }

    /// The path of the database's directory; `nil` if the database is closed.
    package var directory: String? { state.withLock { $0?.file.bundle }.map(\.directory) }

    /// The default collection, which always exists.
    ///
    /// - Throws: `notOpen` if the database is closed.
    package var defaultCollection: CollectionStore { get throws(StoreError) { try openState.defaultCollection } }

    /// Returns the open file.
    ///
    /// - Throws: `notOpen` if the database is closed.
    package func openFile() throws(StoreError) -> DatabaseFile { try openState.file }

    private var openState: OpenState {
        get throws(StoreError) {
            guard let open = state.withLock({ $0 }) else { throw notOpen }
            return open
        }
    }

    private var notOpen: StoreError { .notOpen(what: "database \"\(name)\"") }

    // MARK: Work

    /// Runs `body` with the open file on behalf of this object: `body` does not see the uncommitted changes of another object's batch on
    /// this thread.
    ///
    /// - Throws: `notOpen` if the database is closed; the error of `body`.
    package func withFile<Result>(_ body: (DatabaseFile) throws -> Result) throws -> Result {
        let open = try openState
        return try open.file.onBehalf(of: BatchOwner(self)) { try body(open.file) }
    }

    /// Runs `body` with the open file, like ``withFile(_:)``, if it has a collection.
    ///
    /// - Throws: `notOpen` if the database is closed, or the collection was deleted; the error of `body`.
    package func withFile<Result>(of store: CollectionStore, _ body: (DatabaseFile) throws -> Result) throws -> Result {
        try withFile { file in
            guard store.exists else { throw store.notOpen }
            do {
                return try body(file)
            } catch let error as SQLiteError {
                // Another process may have deleted the collection, or the batch that created it was rolled back.
                guard (try? file.stillContains(store)) != false else { throw store.notOpen }
                throw error
            }
        }
    }

    /// Runs `body` in a transaction that belongs to this object; see `DatabaseFile.batch`.
    ///
    /// - Throws: `notOpen` if the database is closed; the error of `body`; the errors of the transaction.
    package func batch<Result>(_ body: () throws -> Result) throws -> Result { try openFile().batch(of: BatchOwner(self), body) }

    /// Encrypts the file with another key; `nil` decrypts it.
    ///
    /// - Throws: `notOpen` if the database is closed; the errors of `DatabaseRegistry.changeKey`.
    package func changeKey(to new: EncryptionSecret?) throws {
        try DatabaseRegistry.changeKey(of: openFile(), to: new)
        secret.withLock { $0 = new?.withoutPassword() }
    }

    // MARK: The end

    /// Stops the activities and waits for their end, ends this object's use of the file, and stops listeners and queries. Does nothing if
    /// the database is closed.
    ///
    /// - Throws: `inTransaction` inside a batch of the calling thread.
    package func close() throws {
        if let closed = try endUse({ try DatabaseRegistry.close($0) }) { Self.logClosing(closed) }
    }

    /// Closes the database like ``close()``, and deletes its directory.
    ///
    /// - Throws: `notOpen` if the database is closed; `inTransaction` inside a batch of the calling thread; an error if another object or
    ///   process uses the file, which stays open then.
    package func delete() throws {
        guard let deleted = try endUse({ try DatabaseRegistry.delete($0.bundle.directory, closing: $0) }) else { throw notOpen }
        EngineLog.log(.info, .database, "deleted the database at \(deleted.bundle.directory)")
    }

    /// Logs that the file was closed. Must be called without holding a lock, after this object's use of the file has ended.
    private static func logClosing(_ file: DatabaseFile) {
        if file.isClosed { EngineLog.log(.info, .database, "closed the database at \(file.bundle.directory)") }
    }

    /// Ends this object's use of the file by passing the file to `body`. The file stays open while other objects use it.
    ///
    /// - Returns: The file; `nil` if the database was already closed.
    private func endUse(_ body: (DatabaseFile) throws -> Void) throws -> DatabaseFile? {
        guard let file = try? openFile() else { return nil }
        // A thread that has a transaction open would wait forever for activities that need one.
        if file.isInTransaction { throw StoreError.inTransaction(path: file.bundle.directory) }
        activities.stopAll()
        // Other threads may be closing the database too: what counts is whether this call has closed it.
        var hasClosed = false
        defer {
            if hasClosed {
                listeners.stop()
                observedQueries.stop()
            } else {
                activities.allow()
            }
        }
        try file.withWritersBlocked {
            let open = state.withLock { state in
                defer { state = nil }
                return state
            }
            guard let open else { return }
            observedQueries.suspend()
            do {
                try body(open.file)
                hasClosed = true
            } catch {
                // After an error of SQLite the file is closed nevertheless.
                if open.file.isClosed {
                    hasClosed = true
                } else {
                    state.withLock { $0 = open }
                    observedQueries.resume()
                }
                throw error
            }
        }
        return hasClosed ? file : nil
    }
}
