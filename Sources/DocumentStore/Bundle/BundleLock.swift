#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps a compaction from deleting blobs that a copy being made of the bundle still needs: the copy has the documents of the moment
/// when it began, and copies their blobs after them.
///
/// A lock on the bundle's directory, which works between threads and processes, and ends with its process. Where the file system
/// has no such locks there is no protection either.
struct BundleLock {
    enum Purpose {
        /// Any number at a time.
        case copying
        /// Nobody else at the time.
        case deletingBlobs
    }

    private let descriptor: Int32

    /// Takes the lock. For copying it waits until blobs have been deleted, which takes a moment; for deleting it waits for
    /// nothing, and is nil while somebody copies.
    init?(_ bundle: BundlePath, _ purpose: Purpose) {
        descriptor = open(bundle.directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let operation = purpose == .copying ? LOCK_SH : LOCK_EX | LOCK_NB
        guard Self.take(operation, descriptor) || errno != EWOULDBLOCK else {
            close(descriptor)
            return nil
        }
    }

    func release() {
        guard descriptor >= 0 else { return }
        close(descriptor)
    }

    /// Returns when nobody is copying the bundle.
    static func waitForCopies(of bundle: BundlePath) {
        let descriptor = open(bundle.directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = take(LOCK_EX, descriptor)
        close(descriptor)
    }

    private static func take(_ operation: Int32, _ descriptor: Int32) -> Bool {
        while flock(descriptor, operation) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
