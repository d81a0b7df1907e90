import Base
import Dispatch
package import Fleece
package import Foundation
package import SQLiteEngine
import Synchronization

/// An open database file: one connection that writes, several that read, and their shared state. Thread-safe.
///
/// Within a process there is one such object per file and mode, shared by all `Database` objects of the file: see ``DatabaseRegistry``.
package final class DatabaseFile: Sendable {
    /// The options for opening a file.
    package struct Options: Sendable {
        /// Whether the file is never written. The default is `false`.
        package var isReadOnly = false
        /// Whether a database is created if it does not exist. The default is `true`.
        package var createsIfMissing = true
        /// How new revisions are named. The default is ``Versioning/automatic``.
        package var versioning = Versioning.automatic
        /// Whether every commit waits until it is on the medium (`PRAGMA synchronous=full`). The default is `false`.
        package var fullSync = false
        /// Whether readers map the file into memory, if it is not encrypted. The default is `true`.
        package var usesMemoryMap = true
        /// The maximum size of the page cache of each connection, in KiB; `nil` is the usual one.
        package var maximumCacheSize: Int?
        /// The maximum time to wait for a lock of another process. The default is 10 seconds.
        package var busyTimeout: Duration = .seconds(10)
        /// The clock for the expiration of documents.
        package var clock: any WallClock = SystemWallClock()
        /// The clock for running live queries, and for checks for changes of other processes.
        package var steadyClock: any SteadyClock = SystemSteadyClock()
        /// Returns the local time zone of the device, which SQL functions use.
        package var localZone: @Sendable () -> TimeZone = { .current }
        /// The encryption key of the existing or new database; `nil` if it is not encrypted. Removed when the file is open.
        package var key: EncryptionSecret?
        /// The maximum total number of steps of SQLite's virtual machine on a reading connection; `nil` for no limit. Intended for tools
        /// that examine untrusted files, to stop statements that never end.
        package var maximumSteps: Int?
        /// Called for every new connection, to register the SQL functions used by indexes and queries.
        package var prepare: @Sendable (ConnectionContext) throws -> Void = { _ in }
        /// Whether long work on indexes is done in the background, instead of by the transaction that makes it necessary. The default is `true`; a
        /// program that closes the file at once would never finish it.
        package var worksInBackground = true
        /// Checks and rebuilds indexes; `nil` if the caller does not support indexes.
        package var indexes: IndexSupport?

        package init() {}
    }

    /// The directory of the database.
    package let bundle: BundlePath
    /// The options with which the file was opened, without the key.
    package let options: Options
    /// The file version before an upgrade.
    package let versionFound: FileVersion
    /// The file version now.
    package let version: FileVersion
    /// The names of the triggers that were removed when opening, because they do not belong to the format.
    package let removedTriggers: [String]
    /// The blobs of all collections.
    package let blobs: BlobStore
    /// Notifies observers of the commits of this process.
    package let changes: ChangeFeed
    /// Notifies observers of changes of collections, also by other processes.
    package let watch: CollectionWatch
    /// What is done with documents that replication stores.
    package let arrivals = ArrivalHandlers()
    let expirations: ExpirationTimer
    let foreignChanges: ForeignChangeWatcher
    let idleSnapshots: IdleSnapshots

    /// Removes log files when a file that was opened read-only is closed.
    let logFileCleanup: LogFileCleanup?
    let readers: ConnectionPool
    let writerIfWritable: Writer?
    let knownCollections = KnownCollections()
    let documentCounts = DocumentCounts()
    /// What is known about the keys of the indexes. Only kept in memory.
    package let indexKeyHistory = IndexKeyHistory()
    /// What has been read from the tables of indexes. Only kept in memory.
    package let indexCache = IndexCache()
    /// Work on indexes for which no transaction should wait.
    package let indexWork = IndexWork()
    struct State {
        var sharedKeys: SharedKeys = .empty
        var sharedKeysSize: Int64 = 0
        var isClosed = false
        var encryption: EncryptedFileSystem?
    }
    let state: Mutex<State>
    /// An encoder that is not in use.
    private let spareBodyEncoder = Mutex<BodyEncoder?>(nil)
    /// The threads inside of ``reading(_:)``.
    private let readingThreads = Mutex<[UInt]>([])

    init(opened: OpenedFile, options: Options) throws {
        bundle = opened.bundle
        var options = options
        options.key = nil
        self.options = options
        state = Mutex(State(encryption: opened.encryption))
        versionFound = opened.versionFound
        version = opened.version
        logFileCleanup = opened.logFileCleanup
        removedTriggers = opened.removedTriggers
        blobs = BlobStore(directory: opened.bundle.attachments, cipher: opened.encryption.map { BlobCipher(key: $0.keys.blobs) })
        let box = WeakFile()
        let feed = ChangeFeed { box.file?.watchForeignChanges() }
        changes = feed
        let queue = DispatchQueue(label: "CouchbaseLite.background", qos: .utility)
        expirations = ExpirationTimer(options.clock, queue: queue) { try box.file?.purgeExpired(now: $0) }
        foreignChanges = ForeignChangeWatcher(options.clock, queue: queue)
        watch = CollectionWatch(options.steadyClock)
        let idleSnapshots = IdleSnapshots { box.file?.readers.endIdleSnapshots(unlessUsed: true) ?? false }
        self.idleSnapshots = idleSnapshots
        // Only while there is a writer, because a medium that is read-only may have no shared memory.
        let keepsSnapshots = opened.writer != nil
        readers = ConnectionPool(capacity: 4, keepsSnapshots: keepsSnapshots, onKeptSnapshot: idleSnapshots.schedule) {
            [isImmutable = opened.isImmutable] in
            guard let file = box.file else { throw ConnectionPoolError.closed }
            return try file.makeReader(isImmutable: isImmutable)
        }
        writerIfWritable = opened.writer.map { [blobs] in
            Writer($0, changes: feed, blobs: blobs)
        }
        box.file = self
        if let writerIfWritable {
            writerIfWritable.context.file = self
            expirations.scheduleWakeUp()
        }
    }

    // MARK: Connections

    /// The encryption of the files; `nil` if they are not encrypted.
    var encryption: EncryptedFileSystem? { state.withLock { $0.encryption } }

    private func makeReader(isImmutable: Bool) throws -> Connection {
        let connection = try Connection(path: bundle.sqliteFile, mode: .readOnly, immutable: isImmutable, encryption: encryption)
        try setUp(connection)
        return connection
    }

    /// Prepares a new connection to the file for use. Closes it on failure.
    @discardableResult
    func setUp(_ connection: Connection) throws -> ConnectionContext {
        do {
            let context = try ConnectionContext(preparing: connection, options)
            context.file = self
            try ConnectionSettings(options, connection.encryption).apply(to: connection)
            return context
        } catch {
            connection.closeLoggingErrors()
            throw error
        }
    }

    /// Returns the writer.
    ///
    /// - Throws: `notWritable` if the file was opened read-only; `insideRead` inside of ``reading(_:)``; `insideModel` inside of a predictive
    ///   model.
    package func writer() throws(StoreError) -> Writer {
        guard ModelCallMark.depth == 0 else { throw .insideModel(path: bundle.directory) }
        guard let writerIfWritable else { throw .notWritable(path: bundle.directory) }
        guard !readingThreads.withLock({ $0.contains(currentThreadNumber()) }) else { throw .insideRead(path: bundle.directory) }
        return writerIfWritable
    }

    /// Runs `body` in a transaction: if it returns, all its changes are committed together; if it throws, they are rolled back.
    ///
    /// Blocks while another thread or process is writing. Concurrent reads see the last commit. Inside a transaction of the same thread it
    /// joins that transaction.
    package func transaction<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        try writer().transaction(body)
    }

    /// Like ``transaction(_:)``, but inside another transaction of this thread an error undoes only the changes of `body`.
    package func statement<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        try transaction { writer in
            try writer.undoably { try body(writer) }
        }
    }

    /// Whether the calling thread is inside a transaction, even if that is a batch of another user.
    package var isInTransaction: Bool {
        writerIfWritable?.hasTransactionOfThisThread ?? false
    }

    /// Whether the calling thread is inside a batch of another user, so that it cannot write.
    package var isInBatchOfAnother: Bool {
        guard let writer = writerIfWritable, writer.hasTransactionOfThisThread else { return false }
        return !writer.isBatchVisible
    }

    /// Runs `body` with a connection for reading; it sees one snapshot of the file, also in nested calls. Inside a transaction of the calling
    /// thread this is the writer's connection, which sees the changes of the transaction, unless the transaction is a batch of another user,
    /// see ``BatchOwner``. Blocks while all reading connections are in use.
    package func read<Result>(_ body: (ConnectionContext) throws -> Result) throws -> Result {
        // Inside of a predictive model the statement that calls it is running, so nothing can be written.
        if let writer = writerIfWritable, writer.isInTransactionOfThisThread, ModelCallMark.depth == 0 {
            try writer.indexDeferredTexts()
            try writer.completeMaintainedIndexes()
        }
        return try readDocuments(body)
    }

    /// Like ``read(_:)``, for a `body` that does not read full-text indexes. In a transaction, these may lack texts that are indexed later.
    func readDocuments<Result>(_ body: (ConnectionContext) throws -> Result) throws -> Result {
        if let writer = writerIfWritable, writer.isInTransactionOfThisThread {
            return try body(writer.context)
        }
        do {
            return try readers.withConnection { connection in
                // Safe: `setUp` attaches a context to every connection of the pool, which keeps it until it is closed.
                try body(unsafeDowncast(connection.attachment!, to: ConnectionContext.self))
            }
        } catch ConnectionPoolError.closed {
            throw StoreError.notOpen(what: "the database at \(bundle.directory)")
        }
    }

    /// Runs `body`, in which all reads of the calling thread see one snapshot of the file. It must not write, because a writer may wait for
    /// the connection that the thread keeps. Blocks while all reading connections are in use.
    package func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try readDocuments { _ in
            let thread = currentThreadNumber()
            readingThreads.withLock { $0.append(thread) }
            defer {
                readingThreads.withLock { threads in
                    if let index = threads.firstIndex(of: thread) { threads.remove(at: index) }
                }
            }
            return try body()
        }
    }

    /// Runs `body` on a connection of the pool that is not in use. Returns `nil` immediately if there is none.
    package func readIfFree<Result>(_ body: (ConnectionContext) throws -> Result) throws -> Result? {
        do {
            return try readers.withFreeConnection { connection in
                // Safe: see `read`.
                try body(unsafeDowncast(connection.attachment!, to: ConnectionContext.self))
            }
        } catch ConnectionPoolError.closed {
            throw StoreError.notOpen(what: "the database at \(bundle.directory)")
        }
    }

    // MARK: Shared keys

    /// The shared keys as seen by the calling thread. Reads them again if another connection has changed the file.
    package var sharedKeys: SharedKeys {
        get throws {
            try read { context in
                _ = try context.connection.scalar("SELECT 1 FROM kv_info LIMIT 1")
                try context.refreshSharedKeys()
                return context.sharedKeys
            }
        }
    }

    /// Returns the list whose stored form has `size` bytes. Lists only grow, so the size identifies a list. Loads the list if it is not
    /// cached in this process.
    func sharedKeys(ofSize size: Int64, load: () throws -> SharedKeys) throws -> SharedKeys {
        if size == 0 { return .empty }
        let known = state.withLock { $0.sharedKeysSize == size ? $0.sharedKeys : nil }
        if let known { return known }
        let loaded = try load()
        publish(loaded, encodedSize: size)
        return loaded
    }

    func publish(_ keys: SharedKeys, encodedSize: Int64) {
        state.withLock { state in
            guard encodedSize > state.sharedKeysSize else { return }
            state.sharedKeys = keys
            state.sharedKeysSize = encodedSize
        }
    }

    /// The shared keys as seen by the calling thread, in a transaction including those it has added. Does not read the file, so keys added
    /// by another process may be missing.
    private var knownSharedKeys: SharedKeys {
        if let writer = writerIfWritable, writer.isInTransactionOfThisThread { return writer.keys.snapshot }
        return state.withLock { $0.sharedKeys }
    }

    /// Runs `body` with an encoder for the body of a document. The encoder must not be used after `body` returns.
    package func withBodyEncoder<Result>(_ body: (BodyEncoder) throws -> Result) rethrows -> Result {
        let keys = knownSharedKeys
        var spare: BodyEncoder?
        spareBodyEncoder.withLock { swap(&$0, &spare) }
        let encoder = spare.flatMap { $0.base === keys ? $0 : nil } ?? BodyEncoder(keys)
        defer {
            // An encoder that has added keys must not be reused, because the file may assign other numbers to them.
            if encoder.prepareForReuse() { spareBodyEncoder.withLock { $0 = encoder } }
        }
        return try body(encoder)
    }

    /// Whether the file has no users any more and its connections are closed.
    package var isClosed: Bool { state.withLock { $0.isClosed } }
}

/// A bundle that has been found, checked and, for writing, upgraded.
struct OpenedFile {
    let bundle: BundlePath
    let versionFound: FileVersion
    let version: FileVersion
    /// The connection that writes; `nil` if the file was opened read-only.
    let writer: ConnectionContext?
    /// The encryption of the files; `nil` if they are not encrypted.
    let encryption: EncryptedFileSystem?
    /// Whether the medium is read-only, so that SQLite need not look for changes and cannot create its lock files.
    let isImmutable: Bool
    /// Removes the files created by reading connections; `nil` if the file was opened for writing.
    let logFileCleanup: LogFileCleanup?
    /// The names of triggers that were removed because they do not belong to the format.
    let removedTriggers: [String]
}

/// A reference to the file for the closures of its properties, which are created before the file.
private final class WeakFile: Sendable {
    private struct Reference {
        weak var file: DatabaseFile?
    }
    private let reference = Mutex(Reference())

    var file: DatabaseFile? {
        get { reference.withLock { $0.file } }
        set { reference.withLock { $0.file = newValue } }
    }
}

extension DatabaseFile {
    /// Returns a connection to an empty database in memory, with the settings and functions of connections to the file. The caller must
    /// close it.
    package func makeScratchConnection() throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .create)
        do {
            _ = try ConnectionContext(preparing: connection, options)
            return connection
        } catch {
            connection.closeLoggingErrors()
            throw error
        }
    }
}
