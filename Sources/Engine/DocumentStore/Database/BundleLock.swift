import Base

/// Prevents a compaction from deleting blobs needed by a running copy of the bundle: the copy has the documents of the time when it began,
/// and copies their blobs after them.
///
/// This is a lock on the bundle's directory. It works between threads and processes, and is released when its process ends. If the file
/// system does not support such locks, there is no protection.
struct BundleLock {
    enum Purpose {
        /// A shared lock: any number of copies at the same time.
        case copying
        /// An exclusive lock.
        case deletingBlobs
    }

    private let descriptor: Int32

    /// Acquires the lock. For copying, waits while blobs are being deleted, which takes a short time. For deleting, does not wait, and
    /// returns `nil` while the bundle is being copied.
    init?(_ bundle: BundlePath, _ purpose: Purpose) {
        descriptor = open(bundle.directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let operation = purpose == .copying ? LOCK_SH : LOCK_EX | LOCK_NB
        guard Self.acquire(operation, descriptor) || errno != EWOULDBLOCK else {
            close(descriptor)
            return nil
        }
    }

    func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
    }

    /// Waits until no copy of the bundle is running.
    static func waitForCopies(of bundle: BundlePath) {
        let descriptor = open(bundle.directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = acquire(LOCK_EX, descriptor)
        close(descriptor)
    }

    private static func acquire(_ operation: Int32, _ descriptor: Int32) -> Bool {
        while flock(descriptor, operation) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
