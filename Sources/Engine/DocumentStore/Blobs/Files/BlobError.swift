import Base

/// An error of the files of blobs.
package struct BlobError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What has failed.
    package enum Reason: Equatable, Sendable {
        /// No blob with this digest is stored.
        case notFound
        /// The entry with the name of a blob's file is not a regular file, but a symbolic link, a pipe or another kind. It is not opened.
        case notAFile
        /// The path of the blobs' directory is a symbolic link or a file. It is not opened.
        case notADirectory
        /// A system call failed with this `errno`.
        case system(Int32)
        /// The file is shorter than it was when it was opened.
        case cutShort
        /// The file is not encrypted, but should be, or it was encrypted by a later version.
        case notSealed
        /// The content differs from the stored content, or the file belongs to another blob or was encrypted with another key.
        case damaged
        /// The content has more than 2 GiB, so it is not read as a whole.
        case tooLarge
        /// Encrypting failed.
        case notSealable
    }

    /// What has failed, without the operation and the place.
    package let reason: Reason
    /// The failed operation, for example "create a file in".
    package let action: String
    /// The path of the file or directory.
    package let path: String

    package init(_ reason: Reason, action: String, path: String) {
        self.reason = reason
        self.action = action
        self.path = path
    }

    /// Returns an error for the current `errno`. A missing file is reported as a missing blob.
    static func current(_ action: String, _ path: String) -> BlobError {
        let code = errno
        return BlobError(code == ENOENT ? .notFound : .system(code), action: action, path: path)
    }

    package var description: String {
        let what =
            switch reason {
            case .notFound: "no such file"
            case .notAFile: "it is a symbolic link or another entry that is not a regular file"
            case .notADirectory: "it is a symbolic link or another entry that is not a directory"
            case .system(let code): String(cString: strerror(code))
            case .cutShort: "the file was truncated while it was open"
            case .notSealed: "the file is not encrypted, or in an unknown way"
            case .damaged: "the file is damaged, or belongs to another blob or encryption key"
            case .tooLarge: "the content has more than 2 GiB; it can only be read in pieces"
            case .notSealable: "the content cannot be encrypted"
            }
        return "Cannot \(action) \(path): \(what)"
    }
}
