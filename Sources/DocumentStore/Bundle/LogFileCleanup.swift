import Foundation
import SQLiteEngine

/// The files that SQLite makes beside a database in WAL mode for everybody who opens it: a log, which is empty as long as nobody has
/// written, and the log's index. A connection that writes removes them when it is the last to be closed; one that only reads cannot, so
/// it is done here.
struct LogFileCleanup: Sendable {
    private let bundle: BundlePath
    private let hadIndex: Bool

    /// To be made before the file is opened for reading.
    init(before bundle: BundlePath) {
        self.bundle = bundle
        hadIndex = FileManager.default.fileExists(atPath: bundle.logIndex)
    }

    /// Removes what the connections have left that have read from the file, when all of them have been closed: an empty log with its
    /// index, or the index that they have made of a log that holds something. Nothing is done while somebody else has the file open, or
    /// when it may not be written.
    func remove() {
        guard FileManager.default.fileExists(atPath: bundle.logIndex), bundle.logSize == 0 || !hadIndex,
            // A symbolic link or the like is not followed.
            (try? bundle.checkFiles()) != nil,
            // Whatever the file holds: nothing of it is read.
            let connection = try? Connection(path: bundle.sqliteFile, mode: .readWrite)
        else { return }
        connection.busyTimeout = .zero
        try? connection.whileAlone {
            // Somebody may have written in between.
            if bundle.logSize == 0 {
                for log in [bundle.writeAheadLog, bundle.encryptedLog] { unlink(log) }
                unlink(bundle.logIndex)
            } else if !hadIndex {
                unlink(bundle.logIndex)
            }
        }
        try? connection.close()
    }
}

extension BundlePath {
    /// The index of the log, encrypted or not, that all connections share.
    fileprivate var logIndex: String { sqliteFile + "-shm" }
}
