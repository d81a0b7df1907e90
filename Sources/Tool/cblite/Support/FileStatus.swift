// The compiler takes `stat` for a declaration of this module if it happens to load it before the C library.
import CoreFoundation
import Foundation

/// What the system knows of a file.
struct FileStatus {
    private let status: stat

    /// The status of the file at a path, of the target of a symbolic link; `nil` if there is none, with the reason in `errno`.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.status = status
    }

    /// The status of an open file; `nil` if it is not open.
    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.status = status
    }

    var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
    var size: Int { Int(status.st_size) }

    func isSameFile(as other: FileStatus) -> Bool { status.st_dev == other.status.st_dev && status.st_ino == other.status.st_ino }
}
