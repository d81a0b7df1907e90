import Base
internal import CZlib
import Crypto
import Foundation

/// Reads the blocks of a backup file, and checks their digests.
struct BlockReader: ~Copyable {
    enum Next {
        /// A block whose digest is right; its content is ``BlockReader/content``.
        case block(BlockHeader)
        /// A block whose content is damaged. What follows can be read.
        case damaged(BlockHeader, String)
        /// The file ends after the last block.
        case end
        /// The file ends inside a block, as if writing it was interrupted.
        case cut
        /// What follows is no block, so nothing more can be read.
        case unreadable
    }

    private let descriptor: Int32
    let path: String
    /// The size of the file when it was opened.
    let size: UInt64
    /// The number of complete sections according to the header; `nil` if it is damaged.
    let sectionCount: Int?
    /// Where the next block begins.
    private(set) var position: UInt64
    /// The digest of the last block, as it is in the file.
    private(set) var digest: [UInt8]
    /// The content of the last block.
    private(set) var content: [UInt8] = []
    private var stored: [UInt8] = []

    /// - Throws: `missing`, `notABackup`, `tooNew` or `system`.
    init(_ path: String) throws(BackupError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing(path: path) : .system(path: path, code: errno) }
        do throws(BackupError) {
            (size, sectionCount) = try Self.readHeader(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
        position = UInt64(BackupFormat.headerSize)
        digest = Array(SHA256.hash(data: BackupFormat.header))
    }

    /// Returns the size of the file, and the number of complete sections.
    private static func readHeader(_ descriptor: Int32, _ path: String) throws(BackupError) -> (UInt64, sectionCount: Int?) {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw .notABackup(path: path) }
        var header = try read(BackupFormat.headerSize, at: 0, descriptor, path)
        guard header.count == BackupFormat.headerSize, header.starts(with: BackupFormat.magic) else { throw .notABackup(path: path) }
        func number(_ offset: Int) -> UInt32 {
            header.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
        }
        guard number(8) == BackupFormat.version else { throw .tooNew(path: path, version: number(8)) }
        let place = BackupFormat.sectionCountOffset..<BackupFormat.sectionCountOffset + 8
        let count = Int(number(place.lowerBound))
        let isCountValid = header[place].elementsEqual(BackupFormat.sectionCount(count))
        header.replaceSubrange(place, with: [UInt8](repeating: 0, count: place.count))
        guard header == BackupFormat.header else { throw .notABackup(path: path) }
        return (UInt64(end), isCountValid ? count : nil)
    }

    deinit {
        close(descriptor)
    }

    private static func read(_ count: Int, at position: UInt64, _ descriptor: Int32, _ path: String) throws(BackupError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, off_t(clamping: position) + off_t(filled))
            }
            if got < 0 {
                if errno == EINTR { continue }
                throw .system(path: path, code: errno)
            }
            if got == 0 { break }
            filled += got
        }
        return Array(bytes.prefix(filled))
    }

    /// Reads the next block.
    ///
    /// - Throws: `system` if the file cannot be read.
    mutating func next() throws(BackupError) -> Next {
        guard position < size else { return .end }
        let headerBytes = try Self.read(BackupFormat.blockHeaderSize, at: position, descriptor, path)
        guard headerBytes.count == BackupFormat.blockHeaderSize else { return .cut }
        guard let header = headerBytes.withUnsafeBytes({ BlockHeader($0) }) else { return .unreadable }
        let rest = Int(header.stored) + BackupFormat.digestSize
        stored = try Self.read(rest, at: position + UInt64(BackupFormat.blockHeaderSize), descriptor, path)
        guard stored.count == rest else { return .cut }
        position += UInt64(BackupFormat.blockHeaderSize + rest)
        var hash = SHA256()
        hash.update(data: digest)
        hash.update(data: headerBytes)
        hash.update(data: stored.prefix(Int(header.stored)))
        digest = Array(stored.suffix(BackupFormat.digestSize))
        guard hash.finalize().elementsEqual(digest) else { return .damaged(header, "its digest is wrong") }
        guard unpack(header) else { return .damaged(header, "it cannot be decompressed") }
        return .block(header)
    }

    private mutating func unpack(_ header: BlockHeader) -> Bool {
        guard header.isCompressed else {
            content = Array(stored.prefix(Int(header.stored)))
            return true
        }
        content = [UInt8](repeating: 0, count: Int(header.length))
        var size = uLong(content.count)
        let result = content.withUnsafeMutableBytes { output in
            stored.withUnsafeBytes { input in
                uncompress(
                    output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    &size,
                    input.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    uLong(header.stored)
                )
            }
        }
        return result == Z_OK && Int(size) == content.count
    }
}
