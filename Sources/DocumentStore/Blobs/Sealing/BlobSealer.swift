import Crypto
import Foundation

/// Writes the content of one blob, encrypted, to its file. Keeps one chunk in memory.
struct BlobSealer {
    private let file: BlobFile
    private let key: SymmetricKey
    private let chunkSize: Int
    /// What is not in the file yet: whether a chunk is the last shows only when more follows or the content ends.
    private var pending: [UInt8] = []
    private var chunkCount: UInt64 = 0
    private var length: UInt64 = 0

    /// Begins to write `file`, which is empty.
    init(_ file: BlobFile, cipher: BlobCipher, header: SealedBlobHeader = SealedBlobHeader()) throws(BlobError) {
        self.file = file
        key = cipher.fileKey(for: header)
        chunkSize = header.chunkSize
        try header.bytes.withUnsafeBytes { bytes throws(BlobError) in try file.write(bytes) }
    }

    /// Appends `content`.
    mutating func append(_ content: UnsafeRawBufferPointer) throws(BlobError) {
        length += UInt64(content.count)
        var rest = content
        while !rest.isEmpty {
            if pending.count == chunkSize { try sealPending(isLast: false) }
            let count: Int
            if pending.isEmpty, rest.count > chunkSize {
                count = chunkSize
                try seal(.chunk(chunkCount, isLast: false), UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
                chunkCount += 1
            } else {
                count = min(rest.count, chunkSize - pending.count)
                if pending.isEmpty { pending.reserveCapacity(count) }
                pending.append(contentsOf: rest.prefix(count))
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Writes what is left, once the whole content has been appended, whose digest is `digest`.
    mutating func finish(digest: BlobDigest) throws(BlobError) {
        if !pending.isEmpty { try sealPending(isLast: true) }
        let trailer = SealedPart.trailer(chunkCount: chunkCount, digest: digest, length: length)
        try seal(trailer, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private mutating func sealPending(isLast: Bool) throws(BlobError) {
        try pending.withUnsafeBytes { bytes throws(BlobError) in
            try seal(.chunk(chunkCount, isLast: isLast), bytes)
        }
        pending.removeAll(keepingCapacity: true)
        chunkCount += 1
    }

    private func seal(_ part: SealedPart, _ content: UnsafeRawBufferPointer) throws(BlobError) {
        guard let (ciphertext, tag) = try? part.seal(content, key: key) else {
            throw BlobError(.notSealable, action: "write to", path: file.path)
        }
        for data in [ciphertext, tag] {
            try data.withUnsafeBytes { bytes in
                Result { () throws(BlobError) in try file.write(bytes) }
            }.get()
        }
    }
}
