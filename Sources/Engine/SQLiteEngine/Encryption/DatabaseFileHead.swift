/// The kind of a database file, as determined by its first bytes.
package enum DatabaseFileHead: Equatable, Sendable {
    /// The file does not exist, is empty, or cannot be read.
    case empty
    /// A SQLite database that is not encrypted.
    case sqlite
    /// Encrypted in the format of this library.
    case encrypted
    /// Encrypted by the codec of Couchbase Lite's Enterprise Edition (Storage format 4.4).
    case encryptedByOriginal
    /// Something else. It may be a database that another program has encrypted.
    case other

    /// The number of bytes needed to determine the kind.
    package static let size = 18

    /// Determines the kind from the first bytes of a file.
    package init(_ head: [UInt8]) {
        self =
            if head.isEmpty {
                .empty
            } else if head.starts(with: "SQLite format 3\0".utf8) {
                .sqlite
            } else if head.starts(with: EncryptionHeader.magic) {
                .encrypted
            } else if head.count >= Self.size, head[16] == 0x10, head[17] == 0 {
                .encryptedByOriginal
            } else {
                .other
            }
    }

    /// Determines the kind of the file at `path`.
    package init(ofFileAt path: String) { self.init(Self.read(path, count: Self.size)) }

    /// Returns the first bytes of a file, fewer if the file is shorter, or none if it cannot be read.
    static func read(_ path: String, count: Int) -> [UInt8] {
        guard let file = SystemFile(path) else { return [] }
        let available = Int(min(file.size, Int64(count)))
        return [UInt8](unsafeUninitializedCapacity: available) { buffer, filled in
            filled =
                file.read(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<available]), at: 0)
                ? available : 0
        }
    }
}
