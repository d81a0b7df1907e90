import DatabaseRuntime
// Apps import only this module, and use `URL`, `Date`, `Data`, `NSError` and dispatch queues from it (API 1.1).
@_exported public import Dispatch
package import DocumentStore
@_exported public import Foundation
import QueryEngine
import Synchronization

/// A database: a directory named `NAME.cblite2` that contains collections of documents, their blobs and indexes.
///
/// Thread-safe. Several objects, in one process or in several, may have the same database open. They see each other's commits, and only one
/// of them writes at a time; see ``Collection`` for how long functions wait. The database is closed when the last reference to the object
/// is released.
///
/// ```swift
/// let database = try Database(name: "travel")
/// let document = MutableDocument(id: "airport_CDG").setString("Charles de Gaulle", forKey: "name")
/// try database.saveDocument(document)
/// ```
public final class Database: Sendable {
    /// The name of the default scope: `_default`.
    public static let defaultScopeName = CollectionID.defaultName
    /// The name of the default collection: `_default`.
    public static let defaultCollectionName = CollectionID.defaultName

    /// The name, without the directory and the extension.
    public let name: String

    private let directory: String
    /// The open file, and what runs on behalf of this object.
    let core: DatabaseCore
    /// State that an extension of the API keeps with the database; usually `nil`.
    let attachment = Mutex<(any Sendable)?>(nil)

    /// Opens a database, and creates it if it does not exist. A database of an earlier release is upgraded, which can take long.
    ///
    /// - Parameters:
    ///   - name: 1 to 240 bytes without a slash or NUL; not `.` or `..`.
    ///   - config: The configuration, which is copied. By default it has all default values.
    /// - Throws:
    ///   - ``CBLError/invalidParameter`` if the name is invalid.
    ///   - ``CBLError/unreadableDatabase`` if the file is not a database, or the encryption key is missing, wrong, or given for an
    ///     unencrypted database.
    ///   - ``CBLError/databaseTooOld``, ``CBLError/databaseTooNew``, ``CBLError/cantUpgradeDatabase`` or ``CBLError/wrongFormat`` if this
    ///     release cannot open the file.
    ///   - ``CBLError/unsupported`` if the revisions are not named as ``DatabaseConfiguration/versioning`` requires.
    ///   - ``CBLError/notWriteable`` if the medium or the permissions do not allow writing.
    ///   - ``CBLError/busy`` if another process keeps the database locked for more than 10 seconds.
    public convenience init(name: String, config: DatabaseConfiguration = DatabaseConfiguration()) throws {
        let core = try throwingPublicErrors {
            try DatabaseCore(name, at: BundlePath(name: name, inDirectory: config.directory).directory, Self.options(config))
        }
        self.init(core, config.directory)
    }

    /// Opens the database at `path` with options that the public API does not have, for the command line tool. Throws errors of the store.
    package convenience init(path: String, options: DatabaseFile.Options) throws {
        let bundle = BundlePath(path)
        self.init(try DatabaseCore(bundle.databaseName, at: path, options), bundle.parent)
    }

    private init(_ core: DatabaseCore, _ directory: String) {
        name = core.name
        self.core = core
        self.directory = directory
    }

    static func options(_ config: DatabaseConfiguration) -> DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.fullSync = config.fullSync
        options.usesMemoryMap = config.usesMemoryMap
        options.isReadOnly = config.opensForReadingOnly
        options.key = config.encryptionKey?.secret
        options.versioning =
            switch config.versioning {
            case .trees: .trees
            case .versionVectors: .versionVectors
            case .automatic: .automatic
            }
        return options
    }

    /// The path of the database's directory, ending with a slash; `nil` if the database is closed.
    public var path: String? { core.directory.map { $0 + "/" } }

    /// A copy of the configuration with which the database was opened, with the current encryption key.
    public var config: DatabaseConfiguration {
        let config = DatabaseConfiguration()
        config.directory = directory
        config.fullSync = core.options.fullSync
        config.usesMemoryMap = core.options.usesMemoryMap
        config.opensForReadingOnly = core.options.isReadOnly
        config.encryptionKey = core.key.map { EncryptionKey($0) }
        config.versioning =
            switch core.options.versioning {
            case .trees: .trees
            case .versionVectors: .versionVectors
            case .automatic: .automatic
            }
        return config
    }

    /// The number of documents in the default collection, without deleted ones; 0 if the database is closed.
    ///
    /// - Complexity: O(*n*), where *n* is the number of documents. Reads from disk.
    @available(*, deprecated, message: "Use defaultCollection().count")
    public var count: UInt64 { (try? defaultCollection())?.count ?? 0 }

    /// Closes the database. Does nothing if it is already closed.
    ///
    /// Stops the database's replicators and listeners for other devices, and waits until they have stopped and until the transactions of
    /// other threads have ended. If it is called from a callback of a replicator or listener, it does not wait for that one. Change
    /// listeners and live queries are not called any more. Functions of a closed database that can throw then throw ``CBLError/notOpen``.
    ///
    /// - Throws: ``CBLError/transactionNotClosed`` inside a batch.
    public func close() throws { try throwingPublicErrors { try core.close() } }

    /// Closes the database like ``close()``, and deletes its directory with all files.
    ///
    /// - Throws: ``CBLError/busy`` if another ``Database`` object or process has the database open; its replicators and listeners have been
    ///   stopped then, but it stays open. ``CBLError/notOpen`` if it is already closed; ``CBLError/transactionNotClosed`` inside a batch.
    public func delete() throws { try throwingPublicErrors { try core.delete() } }

    /// The open file; throws `notOpen` if the database is closed.
    package func openFile() throws(StoreError) -> DatabaseFile { try core.openFile() }

    /// Runs `body` with the open file; see ``DatabaseCore/withFile(_:)``.
    func withFile<Result>(_ body: (DatabaseFile) throws -> Result) throws -> Result { try core.withFile(body) }

    /// Runs `block` in one transaction. All its changes are committed together or, if it throws, rolled back.
    ///
    /// Batches can be nested. Only the outermost one commits or rolls back, so an error must be passed on to it.
    ///
    /// Until the commit, the changes are visible only through this object on this thread. Other threads that write wait until the batch has
    /// ended. Writing through another ``Database`` object of the same file inside the block throws ``CBLError/busy``, because it would wait
    /// for itself. Listeners are notified once, after the commit.
    ///
    /// If the batch is rolled back, ``Document`` objects that were saved, deleted or purged in it get their previous revisions back; their
    /// properties remain unchanged.
    ///
    /// - Throws: If `block` throws: ``CBLError/unexpectedError`` with the description of the thrown error, and with that error under
    ///   `NSUnderlyingErrorKey`. Otherwise ``CBLError/notOpen`` if the database is closed; ``CBLError/busy`` and ``CBLError/notWriteable``
    ///   as for ``Collection/save(document:)``; or an error of the commit, for example because the disk is full.
    public func inBatch(using block: () throws -> Void) throws { try wrappingBatch(block) }

    /// Runs `body` in one transaction like ``inBatch(using:)``, returns its result, and passes on its error as it is.
    ///
    /// ```swift
    /// let total = try database.batch {
    ///     guard let account = try accounts.document(id: id)?.toMutable() else { throw BankError.noAccount(id) }
    ///     try accounts.save(document: account.setInt(account.int(forKey: "total") + amount, forKey: "total"))
    ///     return account.int(forKey: "total")
    /// }
    /// ```
    ///
    /// Batches of both forms can be nested. If an error leaves the outermost one, everything is rolled back. If an error of an inner one is
    /// caught inside the outermost one, nothing is rolled back, not even the changes of the inner one.
    ///
    /// - Returns: The result of `body`, after the commit.
    /// - Throws: If `body` throws, its error, unchanged; nothing was stored then. Otherwise ``CBLError/notOpen``, ``CBLError/busy`` or
    ///   ``CBLError/notWriteable`` before `body` is called, or an error of the commit, as for ``inBatch(using:)``. As these are errors of
    ///   the library, no type of error can be specified.
    public func batch<Value>(_ body: () throws -> Value) throws -> Value { try batch(body) { $0 } }

    /// Runs `block` like ``inBatch(using:)``, and returns its result.
    func wrappingBatch<Value>(_ block: () throws -> Value) throws -> Value {
        try batch(block, failingWith: LibraryError.ofBatch)
    }

    /// Runs `block` in one transaction. If it throws, `error` returns the error that the app receives.
    private func batch<Value>(_ block: () throws -> Value, failingWith error: (any Error) -> any Error) throws -> Value {
        var app = AppErrors()
        do {
            return try core.batch { try app.record(block) }
        } catch let other {
            throw app.thrown.map(error) ?? publicError(other)
        }
    }

    // MARK: Default collection

    /// Returns the default collection, which always exists.
    ///
    /// - Throws: ``CBLError/notOpen`` if the database is closed.
    public func defaultCollection() throws -> Collection {
        Collection(try throwingPublicErrors { try core.defaultCollection }, database: self)
    }
}

extension Database {
    /// The logging API from before ``LogSinks``.
    @available(*, deprecated, message: "Use LogSinks")
    public static var log: Log { Log.shared }
}
