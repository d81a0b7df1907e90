import DocumentStore
import LogCore
import QueryEngine
import SQLiteEngine
import Synchronization

/// A database: a directory named `NAME.cblite2` with collections of documents, their blobs and indexes.
///
/// Safe to use from any thread. Several objects may be open on one file; they see each other's changes and wait for each
/// other's writes. When the last reference is gone the database is closed.
///
/// ```swift
/// let database = try Database(name: "travel")
/// let document = MutableDocument(id: "airport_CDG").setString("Charles de Gaulle", forKey: "name")
/// try database.saveDocument(document)
/// ```
public final class Database: Sendable {
    /// The name of the default scope and of the default collection.
    public static let defaultScopeName = CollectionID.defaultName
    /// The name of the default collection.
    public static let defaultCollectionName = CollectionID.defaultName

    /// The name, without the extension.
    public let name: String

    private let directory: String
    private let fullSync: Bool
    private let mmapEnabled: Bool
    private let opensForReadingOnly: Bool
    let listeners: ListenerHub
    let observedQueries = ObservedQueries()
    let activities = DatabaseActivities()
    /// The resolver of conflicts in the spelling of the previews.
    let previewResolver = ResolverHolder()
    let work = DatabaseWork()

    /// What there is as long as the database is open.
    private struct OpenState: Sendable {
        let file: DatabaseFile
        let defaultCollection: CollectionStore
    }
    private let state: Mutex<OpenState?>
    /// What the file is encrypted with, for ``config``. A password itself is not kept.
    private let key: Mutex<EncryptionSecret?>

    /// Opens the database, or creates it if there is none. A database of an earlier release is upgraded.
    ///
    /// - Throws: `invalidParameter` for a name that cannot be used; `unreadableDatabase` when the file is no database, or the
    ///   configuration's key is missing, wrong or not needed; `databaseTooOld`, `databaseTooNew`, `wrongFormat`,
    ///   `notWriteable` or `busy`, as the file requires.
    public init(name: String, config: DatabaseConfiguration = DatabaseConfiguration()) throws {
        try DatabaseName.check(name)
        LogRouter.shared.databaseWillOpen()
        self.name = name
        directory = config.directory
        fullSync = config.fullSync
        mmapEnabled = config.mmapEnabled
        opensForReadingOnly = config.opensForReadingOnly
        let path = DatabaseName.path(name, inDirectory: config.directory)
        let open = try throwingPublicErrors { try Self.open(path, config) }
        listeners = ListenerHub(open.file.changes)
        state = Mutex(open)
        key = Mutex(config.encryptionKey?.secret.withoutPassword())
    }

    private static func open(_ path: String, _ config: DatabaseConfiguration) throws -> OpenState {
        let file = try DatabaseRegistry.open(path, options: options(config))
        do {
            guard let store = try file.collection(.default) else {
                throw StoreError.notFound(what: "the default collection of the database at \(path)")
            }
            return OpenState(file: file, defaultCollection: store)
        } catch {
            try? DatabaseRegistry.close(file)
            throw error
        }
    }

    deinit {
        listeners.stop()
        observedQueries.stop()
        if let open = state.withLock({ $0 }) {
            try? DatabaseRegistry.close(open.file)
            Self.logClosing(open.file)
        }
    }

    static func options(_ config: DatabaseConfiguration) -> DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.fullSync = config.fullSync
        options.usesMemoryMap = config.mmapEnabled
        options.isReadOnly = config.opensForReadingOnly
        options.key = config.encryptionKey?.secret
        return options
    }

    /// The path of the database's directory, ending in a slash; nil once the database is closed.
    public var path: String? {
        state.withLock { $0?.file.bundle }.map { $0.directory + "/" }
    }

    /// A copy of the configuration the database was opened with.
    public var config: DatabaseConfiguration {
        let config = DatabaseConfiguration()
        config.directory = directory
        config.fullSync = fullSync
        config.mmapEnabled = mmapEnabled
        config.opensForReadingOnly = opensForReadingOnly
        config.encryptionKey = key.withLock { $0 }.map { EncryptionKey($0) }
        return config
    }

    /// How many documents the default collection has; 0 once the database is closed.
    public var count: UInt64 {
        (try? defaultCollection())?.count ?? 0
    }

    /// Closes the database, when its replicators and listeners have stopped, which it has them do, and the batches of other
    /// threads have ended. Closing twice is fine; everything else on a closed database fails.
    ///
    /// - Throws: `transactionNotClosed` inside a batch.
    public func close() throws {
        try throwingPublicErrors {
            if let closed = try close({ try DatabaseRegistry.close($0) }) { Self.logClosing(closed) }
        }
    }

    /// Closes the database, see ``close()``, and removes its directory with all files.
    ///
    /// - Throws: `busy` when another object has the database open; `notOpen` when this one is closed;
    ///   `transactionNotClosed` inside a batch.
    public func delete() throws {
        try throwingPublicErrors {
            let deleted = try close { try DatabaseRegistry.delete($0.bundle.directory, closing: $0) }
            guard let deleted else { throw notOpen }
            EngineLog.log(.info, .database, "deleted the database at \(deleted.bundle.directory)")
        }
    }

    /// To be called outside of locks, after one's own use of the file has ended.
    private static func logClosing(_ file: DatabaseFile) {
        if file.isClosed { EngineLog.log(.info, .database, "closed the database at \(file.bundle.directory)") }
    }

    /// Gives the file to `body`, which ends this object's use of it. When others use the file too the database stays open.
    ///
    /// - Returns: The file; nil when the database was closed already.
    private func close(_ body: (DatabaseFile) throws -> Void) throws -> DatabaseFile? {
        guard let file = try? openFile() else { return nil }
        // What has a transaction open cannot wait for what needs one.
        if file.isInTransaction { throw StoreError.inTransaction(path: file.bundle.directory) }
        activities.stopAll()
        defer { if path != nil { activities.allow() } }
        let wasOpen = try file.whileNobodyWrites {
            let open = state.withLock { state in
                defer { state = nil }
                return state
            }
            guard let open else { return false }
            observedQueries.suspend()
            do {
                try body(open.file)
            } catch {
                state.withLock { $0 = open }
                observedQueries.resume()
                throw error
            }
            return true
        }
        guard wasOpen else { return nil }
        listeners.stop()
        observedQueries.stop()
        return file
    }

    /// Encrypts the file with another key, or for nil with none.
    func changeKey(to secret: EncryptionSecret?) throws {
        try DatabaseRegistry.changeKey(of: openFile(), to: secret)
        key.withLock { $0 = secret?.withoutPassword() }
    }

    private var notOpen: StoreError { .notOpen(what: "database \"\(name)\"") }

    /// The open file.
    ///
    /// - Throws: `notOpen` once the database is closed.
    func openFile() throws(StoreError) -> DatabaseFile {
        guard let open = state.withLock({ $0 }) else { throw notOpen }
        return open.file
    }

    /// Runs `body` with the open file as this object sees it: without what a batch of another object has changed on this thread.
    ///
    /// - Throws: `notOpen` once the database is closed.
    func withFile<Result>(_ body: (DatabaseFile) throws -> Result) throws -> Result {
        let file = try openFile()
        return try file.onBehalf(of: BatchOwner(self)) { try body(file) }
    }

    /// Runs `block` in one transaction. All changes made in it are committed together, or, if it throws, none is.
    ///
    /// Batches can be nested; the outermost commits or takes back everything, so an error must be passed on up to it. Other
    /// threads, and other `Database` objects on the file, see the changes afterwards. Other threads wait meanwhile when they want to
    /// write; writing through another object inside the block fails with `busy`, for it would wait for itself. Listeners hear of them once, after the
    /// commit. Documents that were saved, deleted or purged in a batch that failed are again the revisions they were before it;
    /// their properties stay as they are.
    ///
    /// - Throws: An error with code `unexpectedError` whose description is that of what `block` threw, and that has it as
    ///   its underlying error; `notOpen` once the database is closed.
    public func inBatch(using block: () throws -> Void) throws {
        try batch(block)
    }

    /// ``inBatch(using:)`` for a block that has a result.
    func batch<Result>(_ block: () throws -> Result) throws -> Result {
        let file = try throwingPublicErrors { try openFile() }
        var thrown: (any Error)?
        do {
            return try file.batch(of: BatchOwner(self)) {
                do {
                    return try block()
                } catch {
                    thrown = error
                    throw error
                }
            }
        } catch {
            guard let thrown else { throw publicError(error) }
            let shown = publicError(thrown)
            // Of an error that comes through nested batches the first one is kept, whatever wraps it.
            let isWrapped = shown.domain == CBLError.domain && shown.code == CBLError.unexpectedError
            let original = isWrapped ? shown.userInfo[NSUnderlyingErrorKey] as? any Error : nil
            throw NSError.couchbaseLite(code: CBLError.unexpectedError, message: shown.localizedDescription, underlying: original ?? thrown)
        }
    }

    // MARK: Default collection

    /// The default collection. It always exists.
    ///
    /// - Throws: `notOpen` once the database is closed.
    public func defaultCollection() throws -> Collection {
        guard let open = state.withLock({ $0 }) else { throw publicError(notOpen) }
        return Collection(open.defaultCollection, database: self)
    }
}
