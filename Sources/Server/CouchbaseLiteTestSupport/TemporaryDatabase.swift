public import CouchbaseLiteSwift
import Foundation

/// A database for one test, whose files are removed as soon as this object is released.
///
/// ```swift
/// let temporary = try TemporaryDatabase()
/// let tasks = try temporary.database.createCollection(name: "tasks")
/// ```
///
/// The files have a directory of their own, in memory if the system has a file system in memory that programs can use (`/dev/shm` on Linux).
/// Everything works as with any other database: batches, other `Database` objects, replicators, encryption.
public final class TemporaryDatabase: Sendable {
    /// The database.
    public let database: Database
    /// The directory that contains the database and nothing else.
    public let directory: URL
    private let key: EncryptionKey?

    /// Creates an empty database.
    ///
    /// - Parameters:
    ///   - name: Its name. Default: `test`. Several temporary databases can have the same name.
    ///   - encryptionKey: The key; `nil`, the default, creates a database that is not encrypted.
    /// - Throws: The errors of `Database(name:config:)`.
    public convenience init(name: String = "test", encryptionKey: EncryptionKey? = nil) throws {
        try self.init(name, encryptionKey) { _ in }
    }

    /// Creates a copy of a database, such as one that belongs to the tests of the app.
    ///
    /// - Parameters:
    ///   - bundle: The directory `NAME.cblite2`, which is not changed.
    ///   - encryptionKey: The key of the database; `nil` if it is not encrypted.
    /// - Throws: The errors of `Database.copy(fromPath:toDatabase:withConfig:)`.
    public convenience init(copying bundle: URL, encryptionKey: EncryptionKey? = nil) throws {
        let name = bundle.deletingPathExtension().lastPathComponent
        try self.init(name, encryptionKey) { try Database.copy(fromPath: bundle.path, toDatabase: name, withConfig: $0) }
    }

    private init(_ name: String, _ key: EncryptionKey?, _ prepare: (DatabaseConfiguration) throws -> Void) throws {
        directory = Self.parent.appendingPathComponent("couchbase-lite-test-\(UUID().uuidString)", isDirectory: true)
        self.key = key
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        do {
            let config = Self.configuration(directory, key)
            try prepare(config)
            database = try Database(name: name, config: config)
        } catch {
            try? FileManager.default.removeItem(at: directory)
            throw error
        }
    }

    deinit {
        try? database.close()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Opens the database once more, as another part of the app would. Works also after ``database`` was closed, for a test of a restart.
    public func openAgain() throws -> Database {
        try Database(name: database.name, config: Self.configuration(directory, key))
    }

    private static func configuration(_ directory: URL, _ key: EncryptionKey?) -> DatabaseConfiguration {
        let config = DatabaseConfiguration()
        config.directory = directory.path
        config.encryptionKey = key
        return config
    }

    private static var parent: URL {
        let memory = "/dev/shm"
        if FileManager.default.isWritableFile(atPath: memory) { return URL(fileURLWithPath: memory, isDirectory: true) }
        return FileManager.default.temporaryDirectory
    }
}
