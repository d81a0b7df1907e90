import Crypto
import Foundation

/// Encrypts the content of one blob and writes it to a file. Keeps one chunk in memory.
struct BlobSealer {
    private let file: BlobFile
    private let key: SymmetricKey
    private let chunkSize: Int
    /// The content not written yet. Whether a chunk is the last one is known only when more content follows or the content ends.
    private var pending: [UInt8] = []
    private var chunkCount: UInt64 = 0
    private var length: UInt64 = 0

    /// Writes the header to `file`, which must be empty.
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

    /// Writes the remaining content and the trailer. `digest` is the digest of the whole content.
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
        // The error of the cipher says less.
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
