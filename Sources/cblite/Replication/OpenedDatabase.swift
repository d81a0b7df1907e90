#if Replication
import CouchbaseLiteSwift
import DocumentStore
import Foundation
import SQLiteEngine

extension Database {
    /// Opens the database in a directory with the public API.
    ///
    /// - Parameter creating: Whether to create the database if it does not exist.
    static func open(_ path: String, key: EncryptionSecret?, creating: Bool = false) throws -> Database {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        guard creating || FileManager.default.fileExists(atPath: url.path) else { throw StoreError.missing(path: path) }
        guard url.pathExtension == BundlePath.fileExtension else {
            throw Failure(.usage, "\(path): the directory name of a database to replicate must end in .\(BundlePath.fileExtension)")
        }
        // The command reports errors itself.
        LogSinks.console = nil
        let config = DatabaseConfiguration()
        config.directory = url.deletingLastPathComponent().path
        config.encryptionKey = key.map { EncryptionKey($0) }
        return try Database(name: url.deletingPathExtension().lastPathComponent, config: config)
    }
}
#endif
