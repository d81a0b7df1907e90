import Foundation
import SQLiteEngine

/// Removes the files that SQLite creates beside a database in WAL mode for every connection: a log, which stays empty if nothing is
/// written, and the log's index. The last connection removes them if it can write. A read-only connection cannot, so this type does it.
struct LogFileCleanup: Sendable {
    private let bundle: BundlePath
    private let hadIndex: Bool

    /// Records the state. Must be called before the file is opened for reading.
    init(before bundle: BundlePath) {
        self.bundle = bundle
        hadIndex = FileManager.default.fileExists(atPath: bundle.logIndex)
    }

    /// Removes the files created by the closed reading connections: an empty log with its index, or the index created for a log with
    /// content. Does nothing while the file is open elsewhere, or if it is read-only.
    func remove() {
        guard FileManager.default.fileExists(atPath: bundle.logIndex), bundle.logSize == 0 || !hadIndex,
            // Symbolic links and other entries that are not regular files are not followed.
            (try? bundle.checkFiles()) != nil,
            // The content of the file is not checked, because nothing is read from it.
            let connection = try? Connection(path: bundle.sqliteFile, mode: .readWrite)
        else { return }
        connection.busyTimeout = .zero
        // Another process uses the file, and removes the log itself.
        try? connection.withExclusiveAccess {
            // Another process may have written since the first check.
            if bundle.logSize == 0 {
                for log in [bundle.writeAheadLog, bundle.encryptedLog] { unlink(log) }
                unlink(bundle.logIndex)
            } else if !hadIndex {
                unlink(bundle.logIndex)
            }
        }
        connection.closeLoggingErrors()
    }
}

extension BundlePath {
    /// The index of the log, which all connections share, whether the log is encrypted or not.
    fileprivate var logIndex: String { sqliteFile + "-shm" }
}
