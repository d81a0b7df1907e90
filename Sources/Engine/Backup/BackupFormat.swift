import Crypto
import Foundation

/// The blocks of a backup file (Backup format 2 and 3).
enum BackupFormat {
    /// The first bytes of a file. As in PNG, the ends of lines show a file that was converted as text.
    static let magic = Array("CBLBAK\r\n".utf8)
    static let version: UInt32 = 1
    /// The size of the file header: the magic bytes, the version, the number of complete sections, its complement, and zeros.
    static let headerSize = 32
    static let sectionCountOffset = 12
    static let blockMark: UInt32 = 0x4B4C_4243
    static let blockHeaderSize = 24
    static let digestSize = SHA256.byteCount
    /// The largest block, before and after compression.
    static let maximumBlock = 1 << 20
    /// The unit in which the database file is compared with the section before.
    static let chunkSize = 4096
    /// The largest number of chunks in one block.
    static let chunksPerBlock = 64
    /// The size of the digest of a chunk: SHA-256, cut.
    static let chunkDigestSize = 16
    /// DEFLATE compresses to no less than 1/1032 (zlib, "Technical Details"), so a file cannot have more content than this.
    static let maximumRatio: UInt64 = 1100

    /// The header without the number of sections. It is hashed in this form.
    static var header: [UInt8] {
        magic + withUnsafeBytes(of: version.littleEndian) { Array($0) } + [UInt8](repeating: 0, count: headerSize - magic.count - 4)
    }

    /// The number of sections as it is stored: a damage of it is recognized.
    static func sectionCount(_ count: Int) -> [UInt8] {
        let number = UInt32(clamping: count)
        return [number, ~number].flatMap { part in withUnsafeBytes(of: part.littleEndian) { Array($0) } }
    }

    static func chunkDigest(_ bytes: UnsafeRawBufferPointer) -> ArraySlice<UInt8> {
        Array(SHA256.hash(data: bytes)).prefix(chunkDigestSize)
    }

    /// Whether a name is one that a blob can have: no path, and not too long.
    static func isBlobName(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_+=-.".utf8.contains(byte)
            }
        }
        return isPlain && (6...80).contains(name.utf8.count) && name.hasSuffix(".blob") && !name.hasPrefix(".")
    }
}

/// What a block contains.
enum BlockKind: UInt8 {
    /// The begin of a section: ``SectionStart`` as JSON.
    case start = 1
    /// Consecutive bytes of the database file, from a position that is a multiple of the chunk size.
    case database = 2
    /// Consecutive bytes of the log.
    case log = 3
    /// The name of the blob whose content follows.
    case blob = 4
    /// Consecutive bytes of the blob.
    case content = 5
    /// The digests of all chunks of the database file, from a chunk number.
    case chunks = 6
    /// The names of blobs that belong to this section, each followed by a line feed.
    case blobNames = 7
    /// The end of a section: ``SectionEnd`` as JSON.
    case end = 8
}

/// The head of a section.
struct SectionStart: Codable {
    /// When the section was made, in milliseconds since 1970.
    var time: Int64
    /// Whether only what has changed since the section before is in it.
    var isIncremental: Bool
    var isEncrypted: Bool
    /// The size of the database file in bytes.
    var databaseSize: UInt64
    /// The name of the database, without its extension.
    var name: String
}

/// What a section contains, to be compared with what was read.
struct SectionEnd: Codable {
    var logSize: UInt64
    /// The number and size of the blobs of the database, those of earlier sections included.
    var blobs: Int
    var blobBytes: UInt64
}

/// The reason why a backup cannot be made or read.
package enum BackupError: Error, CustomStringConvertible {
    /// A call of the system for the file has failed; `code` is its `errno`.
    case system(path: String, code: Int32)
    /// There is a file at the path already. It was not changed.
    case alreadyExists(path: String)
    /// There is no file at the path that could be read or added to.
    case missing(path: String)
    /// Another process is adding to the file.
    case inUse(path: String)
    /// The file does not begin like a backup (Backup format 2).
    case notABackup(path: String)
    /// The file has a version of the format that this release does not know.
    case tooNew(path: String, version: UInt32)
    /// The first damage, and the number of all.
    case damaged(path: String, first: String, count: Int)
    /// There is no section with this number. Sections are numbered from 1 to `count`.
    case noSection(path: String, number: Int, count: Int)

    package var description: String {
        switch self {
        case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
        case .alreadyExists(let path): "\(path) already exists"
        case .missing(let path): "there is no file \(path)"
        case .inUse(let path): "another process is adding to the backup \(path)"
        case .notABackup(let path): "\(path) is not a backup of a database"
        case .tooNew(let path, let version): "\(path) is a backup in version \(version) of the format, which a newer release has made"
        case .damaged(let path, let first, let count):
            "the backup \(path) is damaged: \(first)" + (count > 1 ? ", and \(count - 1) more" : "")
        case .noSection(let path, let number, let count): "\(path) has no section \(number); it has \(count)"
        }
    }
}
