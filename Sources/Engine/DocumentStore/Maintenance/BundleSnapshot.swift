import Base
import Foundation
import SQLiteEngine

/// The files of a database as they are at one moment, while others go on writing to it.
///
/// The files are read as they lie on the medium, those of an encrypted database encrypted. This is consistent because of a read transaction
/// that lasts until all is read: meanwhile a checkpoint writes no page to the database file that is newer than the transaction, and the
/// frames it needs stay in the log. Whoever opens the copies gets the state at the start of the transaction, or a later one whose commit was
/// still copied with the log. (SQLite, "Write-Ahead Logging" 2.2 and "WAL-mode File Format" 4.)
///
/// If all of the log was already in the database file at the start, a writer can begin the log anew, once: a checkpoint of what it writes then
/// has to wait for the transaction. The new log may be copied or not, but not a mixture of both: see ``isComplete(_:)``.
///
/// The database must not be open in this process in any other way: closing a file releases all locks of the process on it.
package struct BundleSnapshot: ~Copyable {
    /// A file that was opened for reading.
    package struct File {
        fileprivate let file: BlobFile
        /// Its size when it was opened. A log can grow.
        package let size: UInt64

        /// Fills `buffer` with the content at `position`, and returns the number of bytes read, which is lower only at the end of the file.
        package func read(into buffer: UnsafeMutableRawBufferPointer, at position: UInt64) throws -> Int {
            try file.read(into: buffer, at: position)
        }
    }

    private let directory: BlobDirectory
    private let blobs: BlobDirectory?
    /// The database file. It must be read before the log.
    package let database: File
    /// Whether the pages, the log and the blobs are encrypted.
    package let isEncrypted: Bool
    private let logName: String
    /// The header of the log at the start; `nil` if there was none.
    private let logHeader: [UInt8]?

    /// Calls `body` while the files do not change, but for additions at the end of the log.
    ///
    /// - Throws: ``StoreError`` if the database cannot be opened for reading; errors of `body`.
    package static func withFiles<Result>(
        of bundle: BundlePath,
        options: DatabaseFile.Options,
        _ body: (borrowing BundleSnapshot) throws -> Result
    ) throws -> Result {
        var reading = options
        reading.isReadOnly = true
        // Blobs are not deleted meanwhile.
        let lock = BundleLock(bundle, .copying)
        defer { lock?.release() }
        let cleanup = LogFileCleanup(before: bundle)
        let opened = try OpenedFile(bundle, reading)
        guard let directory = try BlobDirectory(bundle.directory) else { throw StoreError.missing(path: bundle.directory) }
        let connection = try Connection(
            path: bundle.sqliteFile,
            mode: .readOnly,
            immutable: opened.isImmutable,
            encryption: opened.encryption
        )
        connection.busyTimeout = options.busyTimeout
        guard let database = try directory.file("db.sqlite3") else { throw StoreError.missing(path: bundle.directory) }
        defer {
            connection.closeLoggingErrors()
            // Closed last, see above.
            database.close()
            cleanup.remove()
        }
        try connection.execute("BEGIN")
        // The transaction begins with the first read.
        _ = try connection.scalar("SELECT count(*) FROM sqlite_master")
        let isEncrypted = opened.encryption != nil
        // Not the size when it was opened: a checkpoint may have extended the file before the transaction began.
        let size = UInt64(try database.status.st_size)
        let logName = URL(fileURLWithPath: isEncrypted ? bundle.encryptedLog : bundle.writeAheadLog).lastPathComponent
        let logHeader = try withFile(logName, in: directory) { try Self.header($0) }
        let snapshot = BundleSnapshot(
            directory: directory,
            blobs: try BlobDirectory(bundle.attachments),
            database: File(file: database, size: size),
            isEncrypted: isEncrypted,
            logName: logName,
            logHeader: logHeader
        )
        return try body(snapshot)
    }

    /// Calls `body` with the log, if there is one. What `body` has read can be used only if ``isComplete(_:)`` returns `true` afterwards.
    package func withLog(_ body: (File) throws -> Void) throws {
        try Self.withFile(logName, in: directory, body)
    }

    /// Returns whether what was read of the log is what was written to it since the start. If not, the database file alone has everything.
    package func isComplete(_ log: File) throws -> Bool { try Self.header(log) == logHeader }

    private static func withFile<Result>(
        _ name: String,
        in directory: borrowing BlobDirectory,
        _ body: (File) throws -> Result
    ) throws -> Result? {
        guard let file = try directory.file(name) else { return nil }
        defer { file.close() }
        return try body(File(file: file, size: try file.size))
    }

    /// Returns the header of a log, which gets other salts whenever the log is begun anew.
    private static func header(_ log: File) throws -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 32)
        let count = try header.withUnsafeMutableBytes { try log.read(into: $0, at: 0) }
        return Array(header.prefix(count))
    }

    /// The names and sizes of the files of all blobs, sorted.
    package func blobFiles() throws -> [(name: String, size: UInt64)] {
        guard blobs != nil, let names = try blobs?.names() else { return [] }
        return try names.sorted().compactMap { name in
            // Temporary files of unfinished blobs are left out.
            guard name.utf8.suffix(5).elementsEqual(".blob".utf8), case .file(let size)? = try blobs?.entry(name) else { return nil }
            return (name, size)
        }
    }

    /// Calls `body` with the file of a blob; does nothing if it is not a file.
    package func withBlob(_ name: String, _ body: (File) throws -> Void) throws {
        guard case .file? = try blobs?.entry(name), let file = try blobs?.file(name) else { return }
        defer { file.close() }
        try body(File(file: file, size: try file.size))
    }
}
