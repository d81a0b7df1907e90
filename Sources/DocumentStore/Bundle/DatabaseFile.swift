import Dispatch
package import Fleece
import LogCore
package import SQLiteEngine
import Synchronization

/// An open database file: one connection that writes, some that read, and what they have in common.
///
/// Within a process there is one such object for each file and mode, which all `Database` objects on it share: see
/// ``DatabaseRegistry``.
package final class DatabaseFile: Sendable {
    /// How a file is opened.
    package struct Options: Sendable {
        package var isReadOnly = false
        /// Whether a database is made when there is none.
        package var createsIfMissing = true
        /// Whether every commit waits until the medium has it (`PRAGMA synchronous=full`).
        package var fullSync = false
        package var usesMemoryMap = true
        /// How long to wait for another process's lock.
        package var busyTimeout: Duration = .seconds(10)
        /// What tells when documents expire.
        package var clock: any WallClock = SystemWallClock()
        /// What tells when live queries are run, and other processes' changes looked for.
        package var steadyClock: any SteadyClock = SystemSteadyClock()
        /// What the database is, or is to be, encrypted with; nil for a plain one. Not kept when the file is open.
        package var key: EncryptionSecret?
        /// How many steps of SQLite's virtual machine a connection that reads may take in all; nil for any number. For tools that look at
        /// files of strangers, where a statement that never ends would be taken for a long one.
        package var maximumSteps: Int?
        /// Called for every new connection, to register the SQL functions that indexes and queries use.
        package var prepare: @Sendable (ConnectionContext) throws -> Void = { _ in }
        /// What checks and rebuilds indexes; nil where nothing is known of them.
        package var indexes: IndexSupport?

        package init() {}
    }

    package let bundle: BundlePath
    package let options: Options
    /// The version found when opening, before an upgrade.
    package let versionFound: FileVersion
    package let version: FileVersion
    /// The names of triggers that were removed when opening, because the format does not know them.
    package let removedTriggers: [String]
    package let blobs: BlobStore
    package let changes: ChangeFeed
    package let watch: CollectionWatch
    let expirations: ExpirationTimer
    let foreignChanges: ForeignChangeWatcher

    /// What is to be removed when a file is closed that was opened for reading.
    let traces: LogFileCleanup?
    let readers: ConnectionPool
    let writerIfWritable: Writer?
    let knownCollections = KnownCollections()
    struct State {
        var sharedKeys: SharedKeys = .empty
        var sharedKeysSize: Int64 = 0
        var isClosed = false
        var encryption: EncryptedFileSystem?
    }
    let state: Mutex<State>
    /// An encoder that nobody uses at the moment.
    private let spareBodyEncoder = Mutex<BodyEncoder?>(nil)

    init(opened: OpenedFile, options: Options) throws {
        bundle = opened.bundle
        var options = options
        options.key = nil
        self.options = options
        state = Mutex(State(encryption: opened.encryption))
        versionFound = opened.versionFound
        version = opened.version
        traces = opened.traces
        removedTriggers = opened.removedTriggers
        blobs = BlobStore(directory: opened.bundle.attachments, cipher: opened.encryption.map { BlobCipher(key: $0.keys.blobs) })
        let box = WeakFile()
        let feed = ChangeFeed { box.file?.watchForeignChanges() }
        changes = feed
        let queue = DispatchQueue(label: "CouchbaseLite.background", qos: .utility)
        expirations = ExpirationTimer(options.clock, queue: queue) { try box.file?.purgeExpired(now: $0) }
        foreignChanges = ForeignChangeWatcher(options.clock, queue: queue)
        watch = CollectionWatch(options.steadyClock)
        readers = ConnectionPool(capacity: 4) { [isImmutable = opened.isImmutable] in
            guard let file = box.file else { throw ConnectionPoolError.closed }
            return try file.makeReader(isImmutable: isImmutable)
        }
        writerIfWritable = opened.writer.map { [blobs] in
            Writer($0, changes: feed, blobs: blobs)
        }
        box.file = self
        if let writerIfWritable {
            writerIfWritable.context.file = self
            expirations.wakeSoon()
        }
    }

    // MARK: Connections

    /// What the files are encrypted with; nil when they are not.
    var encryption: EncryptedFileSystem? { state.withLock { $0.encryption } }

    private func makeReader(isImmutable: Bool) throws -> Connection {
        let connection = try Connection(path: bundle.sqliteFile, mode: .readOnly, immutable: isImmutable, encryption: encryption)
        try setUp(connection)
        return connection
    }

    /// Makes a new connection to the file ready for use.
    @discardableResult
    func setUp(_ connection: Connection) throws -> ConnectionContext {
        let context = try ConnectionContext(preparing: connection, options)
        context.file = self
        do {
            try ConnectionSettings(options, connection.encryption).apply(to: connection)
        } catch {
            try? connection.close()
            throw error
        }
        return context
    }

    /// The writer.
    ///
    /// - Throws: `notWritable` when the file was opened for reading only.
    package func writer() throws(StoreError) -> Writer {
        guard let writerIfWritable else { throw .notWritable(path: bundle.directory) }
        return writerIfWritable
    }

    /// Runs `body` in a transaction: all it changes is committed together, or, if it throws, nothing is.
    ///
    /// Other threads that want to write wait; those that read see the last commit. Called inside a transaction of the same
    /// thread it joins that one.
    package func transaction<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        try writer().transaction(body)
    }

    /// Whether the calling thread is inside a transaction, whoever sees it.
    package var isInTransaction: Bool {
        writerIfWritable?.hasTransactionOfThisThread ?? false
    }

    /// Runs `body` with a connection to read from. Inside a transaction of the calling thread that is the writer's, which
    /// sees what the transaction has changed; unless it is the batch of another user, see ``BatchOwner``.
    package func read<Result>(_ body: (ConnectionContext) throws -> Result) throws -> Result {
        if let writer = writerIfWritable, writer.isInTransactionOfThisThread {
            return try body(writer.context)
        }
        do {
            return try readers.withConnection { connection in
                // `setUp` attaches one to every connection of the pool, which has it until it is closed.
                try body(unsafeDowncast(connection.attachment!, to: ConnectionContext.self))
            }
        } catch ConnectionPoolError.closed {
            throw StoreError.notOpen(what: "the database at \(bundle.directory)")
        }
    }

    // MARK: Shared keys

    /// The shared keys as of the last commit of this process.
    package var sharedKeys: SharedKeys {
        get throws {
            try read { context in
                _ = try context.connection.scalar("SELECT 1 FROM kv_info LIMIT 1")
                try context.refreshSharedKeys()
                return context.sharedKeys
            }
        }
    }

    /// The list whose stored form has `size` bytes: lists only grow, so the size tells one from another. Loads it when this
    /// process has not seen it yet.
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

    /// The shared keys as the calling thread sees them, in a transaction with those it has added; without looking into the
    /// file, where another process may have added some.
    private var knownSharedKeys: SharedKeys {
        if let writer = writerIfWritable, writer.isInTransactionOfThisThread { return writer.keys.snapshot }
        return state.withLock { $0.sharedKeys }
    }

    /// Runs `body` with an encoder for the body of a document, which it must not use later.
    package func withBodyEncoder<Result>(_ body: (BodyEncoder) throws -> Result) rethrows -> Result {
        let keys = knownSharedKeys
        var spare: BodyEncoder?
        spareBodyEncoder.withLock { swap(&$0, &spare) }
        let encoder = spare.flatMap { $0.base === keys ? $0 : nil } ?? BodyEncoder(keys)
        defer {
            // One that has numbered keys itself must not be used again: the file may number them otherwise.
            if encoder.prepareForReuse() { spareBodyEncoder.withLock { $0 = encoder } }
        }
        return try body(encoder)
    }

    /// Whether nobody uses the file any more, and its connections are closed.
    package var isClosed: Bool { state.withLock { $0.isClosed } }
}

/// Lets the pool's closure reach the file it belongs to, which does not exist yet when the pool is made.
private final class WeakFile: @unchecked Sendable {
    // Unchecked: set once, before the file is handed to anybody.
    weak var file: DatabaseFile?
}
