import Base

/// An exclusive lock on a directory, among all processes. The lock follows the directory when the directory is renamed, and is released
/// when its process ends.
struct DirectoryLock: ~Copyable {
    /// The reason why the lock could not be acquired.
    enum Failure: Error, Equatable {
        /// There is no directory at the path.
        case missing
        /// The lock is held elsewhere.
        case taken
        /// A system call failed with this `errno`.
        case system(Int32)
    }

    private let descriptor: Int32

    /// Acquires the lock if it is free. Does not wait.
    init(_ path: String) throws(Failure) {
        while true {
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .system(errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(descriptor)
                throw code == EWOULDBLOCK ? .taken : .system(code)
            }
            // The previous holder of the lock may have renamed or removed the directory.
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
        var (locked, found) = (stat(), stat())
        return fstat(descriptor, &locked) == 0 && lstat(path, &found) == 0
            && locked.st_dev == found.st_dev && locked.st_ino == found.st_ino
    }
}
