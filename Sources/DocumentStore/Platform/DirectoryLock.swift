#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A lock that one holder in all processes can have on a directory. It stays with the directory when that is renamed, and
/// ends with its process.
struct DirectoryLock: ~Copyable {
    /// What came of the wish for a lock.
    enum Failure: Error, Equatable {
        /// There is no directory at the path.
        case missing
        /// Somebody else holds the lock.
        case taken
        /// A call of the operating system failed with this `errno`.
        case system(Int32)
    }

    private let descriptor: Int32

    /// Takes the lock if it is free.
    init(_ path: String) throws(Failure) {
        while true {
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .system(errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(descriptor)
                throw code == EWOULDBLOCK ? .taken : .system(code)
            }
            // Whoever held the lock before may have renamed or removed the directory.
            if Self.isDirectory(descriptor, at: path) {
                self.descriptor = descriptor
                return
            }
            close(descriptor)
        }
    }

    deinit {
        close(descriptor)
    }

    private static func isDirectory(_ descriptor: Int32, at path: String) -> Bool {
        var (held, found) = (stat(), stat())
        return fstat(descriptor, &held) == 0 && lstat(path, &found) == 0
            && held.st_dev == found.st_dev && held.st_ino == found.st_ino
    }
}
