#if Replication
import CouchbaseLiteSwift
import DocumentStore
import Foundation
import SQLiteEngine

extension Database {
    /// Opens the database in a directory, as an app would.
    ///
    /// - Parameter creating: Makes a database when there is none.
    static func open(_ path: String, key: EncryptionSecret?, creating: Bool = false) throws -> Database {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        guard creating || FileManager.default.fileExists(atPath: url.path) else { throw StoreError.missing(path: path) }
        guard url.pathExtension == BundlePath.fileExtension else {
            throw Failure(.usage, "\(path): a database that replicates needs a directory whose name ends in .\(BundlePath.fileExtension)")
        }
        // What goes wrong is said by the command itself.
        LogSinks.console = nil
        let config = DatabaseConfiguration()
        config.directory = url.deletingLastPathComponent().path
        config.encryptionKey = key.map { EncryptionKey($0) }
        return try Database(name: url.deletingPathExtension().lastPathComponent, config: config)
    }
}
#endif
