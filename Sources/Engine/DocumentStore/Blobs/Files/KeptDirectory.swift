import Base
import Synchronization

/// The directory of a store, which stays open, because most reads of blobs are reads in one directory.
///
/// The directory at the path may be replaced while it is open here. That cannot yield wrong content, because a digest identifies it; but
/// a file that is missing in the open directory is looked for in the current one.
final class KeptDirectory: Sendable {
    /// An open directory that several threads use.
    private final class Opened: Sendable {
        let directory: BlobDirectory

        init(_ directory: consuming BlobDirectory) { self.directory = directory }
    }

    private let path: String
    private let kept = Mutex<Opened?>(nil)

    init(path: String) { self.path = path }

    /// Returns what `find` finds in the directory; `nil` if it finds nothing, or if there is no directory.
    func find<Found>(_ find: (borrowing BlobDirectory) throws(BlobError) -> Found?) throws(BlobError) -> Found? {
        if let opened = kept.withLock({ $0 }) {
            if let found = try find(opened.directory) { return found }
            if opened.directory.isCurrent { return nil }
        }
        guard let directory = try BlobDirectory(path) else {
            close()
            return nil
        }
        let opened = Opened(directory)
        kept.withLock { $0 = opened }
        return try find(opened.directory)
    }

    /// Closes the directory if its path leads to another one now. Returns whether it is still open, or was not.
    func isCurrent() -> Bool {
        guard let opened = kept.withLock({ $0 }), !opened.directory.isCurrent else { return true }
        close()
        return false
    }

    /// Closes the directory, because its files will not be used anymore. The next search opens the current one.
    func close() { kept.withLock { $0 = nil } }
}
