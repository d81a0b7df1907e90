import Base
internal import CZlib
import Crypto
import DocumentStore

/// Appends blocks to a backup file. Each block has a digest of itself and of all blocks before it.
struct BlockWriter: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private var digest: [UInt8]
    private var compressed = [UInt8](repeating: 0, count: Int(compressBound(uLong(BackupFormat.maximumBlock))))
    /// Whether blocks are compressed; not those of an encrypted database, which have no patterns.
    var compresses = true

    /// - Parameter digest: The digest of the last block in the file, or of the header.
    init(descriptor: Int32, path: String, after digest: [UInt8]) {
        self.descriptor = descriptor
        self.path = path
        self.digest = digest
    }

    /// - Returns: Whether compression made the block smaller.
    @discardableResult
    mutating func append(_ kind: BlockKind, at position: UInt64 = 0, _ bytes: UnsafeRawBufferPointer) throws(BackupError) -> Bool {
        var stored = bytes
        var isCompressed = false
        let size = compresses && bytes.count >= 64 ? compress(bytes) : 0
        return try compressed.withTypedBytes { output throws(BackupError) in
            // Less than a twentieth is not worth the time of reading.
            if size > 0, size < bytes.count - bytes.count / 20 {
                stored = UnsafeRawBufferPointer(rebasing: output[..<size])
                isCompressed = true
            }
            let header = BlockHeader(
                kind: kind.rawValue,
                isCompressed: isCompressed,
                stored: UInt32(stored.count),
                length: UInt32(bytes.count),
                position: position
            ).bytes
            var hash = SHA256()
            hash.update(data: digest)
            hash.update(data: header)
            hash.update(bufferPointer: stored)
            digest = Array(hash.finalize())
            try write(header)
            try write(stored)
            try write(digest)
            return isCompressed
        }
    }

    mutating func append(_ kind: BlockKind, at position: UInt64 = 0, _ bytes: [UInt8]) throws(BackupError) {
        try bytes.withTypedBytes { buffer throws(BackupError) in _ = try append(kind, at: position, buffer) }
    }

    /// Removes the blocks that `body` appends if it returns `false`, and returns its result.
    mutating func appendRevocably(_ body: (inout Self) throws -> Bool) throws -> Bool {
        let (digest, end) = (digest, lseek(descriptor, 0, SEEK_CUR))
        guard try !body(&self) else { return true }
        guard end >= 0, ftruncate(descriptor, end) == 0, lseek(descriptor, end, SEEK_SET) == end else {
            throw BackupError.system(path: path, code: errno)
        }
        self.digest = digest
        return false
    }

    /// Compresses into the buffer, and returns the size; 0 if that fails.
    private mutating func compress(_ bytes: UnsafeRawBufferPointer) -> Int {
        var size = uLong(compressed.count)
        let result = compressed.withUnsafeMutableBytes { output in
            compress2(
                output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                &size,
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                uLong(bytes.count),
                3
            )
        }
        return result == Z_OK ? Int(size) : 0
    }

    private func write(_ bytes: [UInt8]) throws(BackupError) {
        try bytes.withTypedBytes { buffer throws(BackupError) in try write(buffer) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(BackupError) {
        guard writeAll(bytes, to: descriptor) else { throw .system(path: path, code: errno) }
    }

    /// Waits until all is on the medium.
    func synchronize() throws(BackupError) {
        guard DocumentStore.synchronize(descriptor: descriptor) else { throw .system(path: path, code: errno) }
    }
}

/// The fixed part of a block (Backup format 3), in little-endian order.
struct BlockHeader {
    var kind: UInt8
    var isCompressed: Bool
    /// The size in the file.
    var stored: UInt32
    /// The size of the content.
    var length: UInt32
    var position: UInt64

    var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(BackupFormat.blockHeaderSize)
        func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { result.append(contentsOf: $0) } }
        append(BackupFormat.blockMark)
        append(kind)
        append(UInt8(isCompressed ? 1 : 0))
        append(UInt16(0))
        append(stored)
        append(length)
        append(position)
        return result
    }

    init(kind: UInt8, isCompressed: Bool, stored: UInt32, length: UInt32, position: UInt64) {
        (self.kind, self.isCompressed, self.stored, self.length, self.position) = (kind, isCompressed, stored, length, position)
    }

    /// - Returns: `nil` if the bytes are no header, or a size is larger than allowed.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == BackupFormat.blockHeaderSize else { return nil }
        func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
            Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
        guard number(0, UInt32.self) == BackupFormat.blockMark, bytes[5] <= 1, number(6, UInt16.self) == 0 else { return nil }
        self.init(
            kind: bytes[4],
            isCompressed: bytes[5] == 1,
            stored: number(8, UInt32.self),
            length: number(12, UInt32.self),
            position: number(16, UInt64.self)
        )
        let maximum = UInt32(BackupFormat.maximumBlock)
        guard length <= maximum, isCompressed ? stored < length : stored == length else { return nil }
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes, like the standard method, but preserves the type of the thrown error.
    func withTypedBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try withUnsafeBytes { bytes in Swift.Result { () throws(Failure) in try body(bytes) } }.get()
    }
}
