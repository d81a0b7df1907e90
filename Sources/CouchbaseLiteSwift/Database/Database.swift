import DocumentStore
import QueryEngine
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
    private let bundle: BundlePath
    let listeners: ListenerHub

    private struct State {
        var file: DatabaseFile?
        weak var defaultCollection: Collection?
    }
    private let state: Mutex<State>

    /// Opens the database, or creates it if there is none. A database of an earlier release is upgraded.
    ///
    /// - Throws: `invalidParameter` for a name that cannot be used; `databaseTooOld`, `databaseTooNew`,
    ///   `unreadableDatabase`, `wrongFormat`, `notWriteable` or `busy`, as the file requires.
    public init(name: String, config: DatabaseConfiguration = DatabaseConfiguration()) throws {
        try DatabaseName.check(name)
        self.name = name
        directory = config.directory
        fullSync = config.fullSync
        mmapEnabled = config.mmapEnabled
        let path = DatabaseName.path(name, inDirectory: config.directory)
        let file = try throwingPublicErrors {
            try DatabaseRegistry.open(path, options: Self.options(config))
        }
        bundle = file.bundle
        state = Mutex(State(file: file))
        listeners = ListenerHub(file.changes)
    }

    deinit {
        listeners.stop()
        if let file = state.withLock({ $0.file }) { try? DatabaseRegistry.close(file) }
    }

    static func options(_ config: DatabaseConfiguration) -> DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.prepare = { try QueryFunctions.register(on: $0) }
        options.fullSync = config.fullSync
        options.usesMemoryMap = config.mmapEnabled
        return options
    }

    /// The path of the database's directory, ending in a slash; nil once the database is closed.
    public var path: String? {
        state.withLock { $0.file }.map { $0.bundle.directory + "/" }
    }

    /// A copy of the configuration the database was opened with.
    public var config: DatabaseConfiguration {
        let config = DatabaseConfiguration()
        config.directory = directory
        config.fullSync = fullSync
        config.mmapEnabled = mmapEnabled
        return config
    }

    /// How many documents the default collection has; 0 once the database is closed.
    public var count: UInt64 {
        (try? defaultCollection())?.count ?? 0
    }

    /// Closes the database. Closing twice is fine; everything else on a closed database fails.
    public func close() throws {
        try throwingPublicErrors {
            guard let file = takeFile() else { return }
            try DatabaseRegistry.close(file)
        }
    }

    /// Closes the database and removes its directory with all files.
    ///
    /// - Throws: `busy` when another object has the database open; `notOpen` when this one is closed.
    public func delete() throws {
        try throwingPublicErrors {
            let file = try openFile()
            try DatabaseRegistry.delete(file.bundle.directory, closing: file)
            _ = takeFile()
        }
    }

    private func takeFile() -> DatabaseFile? {
        listeners.stop()
        return state.withLock { state in
            defer { state.file = nil }
            return state.file
        }
    }

    /// The open file.
    ///
    /// - Throws: `notOpen` once the database is closed.
    func openFile() throws(StoreError) -> DatabaseFile {
        guard let file = state.withLock({ $0.file }) else { throw .notOpen(what: "database \"\(name)\"") }
        return file
    }

    /// Runs `block` in one transaction. All changes made in it are committed together, or, if it throws, none is.
    ///
    /// Batches can be nested; the outermost commits. Other threads see the changes afterwards, and wait meanwhile when they
    /// want to write. Listeners hear of them once, after the commit.
    ///
    /// - Throws: An error with code `unexpectedError` whose description is that of what `block` threw, and that has it as
    ///   its underlying error; `notOpen` once the database is closed.
    public func inBatch(using block: () throws -> Void) throws {
        let file = try throwingPublicErrors { try openFile() }
        var thrown: (any Error)?
        do {
            try file.transaction { _ in
                do {
                    try block()
                } catch {
                    thrown = error
                    throw error
                }
            }
        } catch {
            guard let thrown else { throw publicError(error) }
            let description = (publicError(thrown)).localizedDescription
            throw NSError.couchbaseLite(code: CBLError.unexpectedError, message: description, underlying: thrown)
        }
    }

    // MARK: Default collection

    /// The default collection. It always exists.
    ///
    /// - Throws: `notOpen` once the database is closed.
    public func defaultCollection() throws -> Collection {
        try throwingPublicErrors {
            let (file, known) = state.withLock { ($0.file, $0.defaultCollection) }
            if let known, file != nil { return known }
            guard let store = try openFile().collection(.default) else {
                throw StoreError.notFound(what: "the default collection")
            }
            let collection = Collection(store, database: self)
            state.withLock { $0.defaultCollection = collection }
            return collection
        }
    }
}
