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
        /// What the database is, or is to be, encrypted with; nil for a plain one. Not kept when the file is open.
        package var key: EncryptionSecret?
        /// Called for every new connection, to register the SQL functions that indexes and queries use.
        package var prepare: @Sendable (ConnectionContext) throws -> Void = { _ in }

        package init() {}
    }

    package let bundle: BundlePath
    package let options: Options
    /// The version found when opening, before an upgrade.
    package let versionFound: FileVersion
    package let version: FileVersion
    package let blobs: BlobStore
    package let changes: ChangeFeed
    let expirations: ExpirationTimer
    let foreignChanges: ForeignChangeWatcher

    private let readers: ConnectionPool
    private let writerIfWritable: Writer?
    private struct State {
        var collections: [CollectionID: CollectionStore] = [:]
        var nextOrdinal = 0
        var sharedKeys: SharedKeys = .empty
        var sharedKeysSize: Int64 = 0
        var isClosed = false
        var encryption: EncryptedFileSystem?
    }
    private let state: Mutex<State>
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
        blobs = BlobStore(
            directory: opened.bundle.attachments,
            cipher: opened.encryption.map { BlobCipher(key: $0.keys.blobs) }
        )
        let box = WeakFile()
        let feed = ChangeFeed { box.file?.watchForeignChanges() }
        changes = feed
        let queue = DispatchQueue(label: "CouchbaseLite.background", qos: .utility)
        expirations = ExpirationTimer(options.clock, queue: queue) { try box.file?.purgeExpired(now: $0) }
        foreignChanges = ForeignChangeWatcher(options.clock, queue: queue)
        readers = ConnectionPool(capacity: 4) {
            guard let file = box.file else { throw ConnectionPoolError.closed }
            return try file.makeReader(isImmutable: opened.isImmutable)
        }
        writerIfWritable = opened.writer.map { [blobs] in
            Writer(ConnectionContext($0, isWriter: true), changes: feed, blobs: blobs)
        }
        box.file = self
        if let writerIfWritable {
            try setUp(writerIfWritable.context)
            expirations.wakeSoon()
        }
    }

    // MARK: Connections

    /// What the files are encrypted with; nil when they are not.
    var encryption: EncryptedFileSystem? { state.withLock { $0.encryption } }

    private func makeReader(isImmutable: Bool) throws -> Connection {
        let encryption = encryption
        let connection = try Connection(
            path: bundle.sqliteFile,
            mode: .readOnly,
            immutable: isImmutable,
            encryption: encryption
        )
        try ConnectionSettings(options, encryption).apply(to: connection)
        try setUp(ConnectionContext(connection))
        return connection
    }

    private func setUp(_ context: ConnectionContext) throws {
        context.file = self
        context.connection.attachment = context
        try options.prepare(context)
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

    /// Whether the calling thread is inside a transaction.
    package var isInTransaction: Bool {
        writerIfWritable?.isInTransactionOfThisThread ?? false
    }

    /// Runs `body` with a connection to read from. Inside a transaction of the calling thread that is the writer's, which
    /// sees what the transaction has changed.
    package func read<Result>(_ body: (ConnectionContext) throws -> Result) throws -> Result {
        if let writer = writerIfWritable, writer.isInTransactionOfThisThread {
            return try body(writer.context)
        }
        do {
            return try readers.withConnection { connection in
                // `setUp` attaches one to every connection of the pool.
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

    // MARK: Collections

    /// The names of all collections, in order.
    package func collectionIDs() throws -> [CollectionID] {
        try read { try Schema($0.connection).collections }
    }

    /// The collection of that name; nil when there is none. While a collection exists the same object is returned.
    package func collection(_ id: CollectionID) throws -> CollectionStore? {
        try read { context in
            // What is known of others is left alone: the reader may see an older state than the writer.
            let schema = try Schema(context.connection)
            guard schema.collections.contains(id) else { return nil }
            return store(id, tables: CollectionTables(id, in: schema))
        }
    }

    /// The collection of that name if somebody has asked for it before.
    package func knownCollection(_ id: CollectionID) -> CollectionStore? {
        state.withLock { $0.collections[id] }
    }

    private func store(_ id: CollectionID, tables: CollectionTables) -> CollectionStore {
        state.withLock { state in
            if let known = state.collections[id] { return known }
            let made = CollectionStore(id, tables: tables, ordinal: state.nextOrdinal, file: self)
            state.nextOrdinal += 1
            state.collections[id] = made
            return made
        }
    }

    /// Whether the collection's tables are there, as far as the calling thread can see.
    package func stillHolds(_ collection: CollectionStore) throws -> Bool {
        guard collection.exists else { return false }
        return try read { try Schema($0.connection).hasTable(collection.tables.liveName) }
    }

    /// The collection of that name, which is made when there is none.
    package func createCollection(_ id: CollectionID) throws -> CollectionStore {
        if let existing = try collection(id) { return existing }
        let created = try transaction { writer in
            // Another process may have deleted one of that name: objects of it must not come to life again.
            if let known = state.withLock({ $0.collections[id] }), try !stillHolds(known) {
                writer.forget(known)
                drop(known)
            }
            let tables = CollectionTables(id)
            try writer.connection.execute(Schema.createTable(tables.liveName))
            if let tombstones = tables.tombstoneName { try writer.connection.execute(Schema.createTable(tombstones)) }
            let created = store(id, tables: tables)
            writer.onRollback { [unowned self] in drop(created) }
            return created
        }
        EngineLog.log(.info, .database, "created collection \(id.fullName) of the database at \(bundle.directory)")
        return created
    }

    /// Removes a collection with all its documents and indexes. Does nothing when there is none.
    package func deleteCollection(_ id: CollectionID) throws {
        guard !id.isDefault else { throw StoreError.cannotDeleteDefaultCollection }
        guard let collection = try collection(id) else { return }
        try transaction { writer in
            try IndexTables.dropAll(of: collection.tables, on: writer.connection)
            for table in [collection.tables.live, collection.tables.tombstones].compactMap({ $0 }) {
                try writer.connection.execute("DROP TABLE IF EXISTS \(table)")
            }
            // The row in kvmeta stays, as the original leaves it: sequences go on when the collection is made again.
            writer.forget(collection)
            drop(collection)
            writer.onRollback { [unowned self] in revive(collection) }
        }
        EngineLog.log(.info, .database, "deleted collection \(id.fullName) of the database at \(bundle.directory)")
    }

    private func drop(_ collection: CollectionStore) {
        state.withLock { state in
            if state.collections[collection.id] === collection { state.collections[collection.id] = nil }
        }
        collection.markDropped()
    }

    /// Its deletion was taken back. When somebody has asked for the collection in between, that object is the one that counts.
    private func revive(_ collection: CollectionStore) {
        state.withLock { state in
            guard state.collections[collection.id] == nil else { return }
            state.collections[collection.id] = collection
            collection.markDropped(false)
        }
    }

    // MARK: Sharing

    /// Has every commit wait until the medium has it, because somebody wants it so who came to share the file.
    ///
    /// - Throws: `inTransaction` inside a transaction of the calling thread, where that cannot be changed.
    func requireFullSync() throws {
        guard !options.fullSync, let writer = writerIfWritable else { return }
        try whileNobodyWrites { try writer.connection.execute("PRAGMA synchronous=full") }
    }

    // MARK: Closing

    /// Waits until no other thread is inside a transaction, and lets none begin until `body` is done.
    ///
    /// - Throws: `inTransaction` when the calling thread is inside one.
    package func whileNobodyWrites<Result>(_ body: () throws -> Result) throws -> Result {
        guard let writer = writerIfWritable else { return try body() }
        return try writer.lock.withLock {
            if writer.isInTransactionOfThisThread { throw StoreError.inTransaction(path: bundle.directory) }
            return try body()
        }
    }

    /// Runs `body` while nobody else has the file open: no other user of this process, which the caller has made sure of, and
    /// no other process. The other threads wait, as do processes that open the file, within their busy timeout.
    ///
    /// `body` gets the only connection there is. It may remove or replace the bundle; after that the file can only be closed.
    ///
    /// - Throws: `inUse` when another process has the file open, or the calling thread itself is reading; `inTransaction`;
    ///   `notWritable`.
    func whileAlone<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let writer = try writer()
        return try whileNobodyWrites {
            let connection = writer.connection
            do {
                return try readers.whileEmpty {
                    guard !connection.isClosed else {
                        throw StoreError.notOpen(what: "the database at \(bundle.directory)")
                    }
                    do {
                        return try connection.whileAlone { try body(connection) }
                    } catch let error as SQLiteError where error.isBusy {
                        throw StoreError.inUse(path: bundle.directory)
                    }
                }
            } catch is ConnectionPoolError {
                throw StoreError.inUse(path: bundle.directory)
            }
        }
    }

    /// Goes on with the bundle that has taken the place of this one. `whileAlone` only.
    func useReplacement(_ encryption: EncryptedFileSystem?) throws {
        let writer = try writer()
        let old = writer.connection
        // Its path leads to the new files now; SQLite knows and leaves them alone.
        defer { try? old.close() }
        let connection = try Connection(
            path: bundle.sqliteFile,
            mode: .readWrite,
            namesFilesByURI: true,
            encryption: encryption
        )
        try ConnectionSettings(options, encryption).apply(to: connection)
        // Somebody who came later may have asked for more than the options.
        if let synchronous = try old.scalar("PRAGMA synchronous") {
            try connection.execute("PRAGMA synchronous=\(synchronous)")
        }
        state.withLock { $0.encryption = encryption }
        let context = ConnectionContext(connection, isWriter: true)
        try setUp(context)
        writer.replaceContext(context)
    }

    /// Waits for readers and the writer, then closes all connections. Called by the registry when nobody uses the file any more.
    ///
    /// - Throws: `inUse` when the calling thread itself is reading or in a transaction; nothing has been closed then.
    func close() throws {
        guard !isInTransaction else { throw StoreError.inUse(path: bundle.directory) }
        do {
            try readers.closeAll()
        } catch ConnectionPoolError.closedFromWithin {
            throw StoreError.inUse(path: bundle.directory)
        }
        if let writer = writerIfWritable {
            try writer.lock.withLock {
                guard !writer.connection.isClosed else { return }
                if !writer.connection.hasMoved { Maintenance.tidyUp(writer.connection) }
                try writer.connection.close()
            }
        }
        expirations.stop()
        foreignChanges.stop()
        state.withLock { state in
            // The collections refer back to the file.
            state.collections = [:]
            state.isClosed = true
        }
    }

    /// Whether nobody uses the file any more, and its connections are closed.
    package var isClosed: Bool { state.withLock { $0.isClosed } }
}

/// Lets the pool's closure reach the file it belongs to, which does not exist yet when the pool is made.
private final class WeakFile: @unchecked Sendable {
    // Unchecked: set once, before the file is handed to anybody.
    weak var file: DatabaseFile?
}
