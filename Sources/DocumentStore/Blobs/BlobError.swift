#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What went wrong with the files of blobs.
package struct BlobError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        /// No blob with this digest is stored.
        case notFound
        /// A symbolic link, a pipe or the like stands where the file of a blob should be. It is not followed.
        case notAFile
        /// A symbolic link or a file stands where the directory of the blobs should be. It is not followed.
        case notADirectory
        /// A call of the operating system failed with this `errno`.
        case system(Int32)
        /// The file ended before the size it had when it was opened.
        case cutShort
        /// The file should be encrypted, and is not, or by a later version.
        case notSealed
        /// The content differs from what was stored, or the file is that of another blob, or of another key.
        case damaged
        /// Encrypting failed.
        case notSealable
    }

    package let reason: Reason
    /// What was being done, as in "create a file in".
    package let action: String
    /// The file or directory.
    package let path: String

    package init(_ reason: Reason, action: String, path: String) {
        self.reason = reason
        self.action = action
        self.path = path
    }

    /// The current `errno`; a missing file counts as a missing blob.
    static func current(_ action: String, _ path: String) -> BlobError {
        let code = errno
        return BlobError(code == ENOENT ? .notFound : .system(code), action: action, path: path)
    }

    package var description: String {
        let what =
            switch reason {
            case .notFound: "no such file"
            case .notAFile: "it is a symbolic link or something else that is no regular file"
            case .notADirectory: "it is a symbolic link or something else that is no directory"
            case .system(let code): String(cString: strerror(code))
            case .cutShort: "the file is shorter than it was"
            case .notSealed: "the file is not encrypted in a way that is known"
            case .damaged: "the file is damaged, or belongs to another blob or encryption key"
            case .notSealable: "the content cannot be encrypted"
            }
        return "Cannot \(action) \(path): \(what)"
    }
}
