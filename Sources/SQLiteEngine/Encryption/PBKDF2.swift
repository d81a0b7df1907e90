internal import Crypto

/// PBKDF2 with HMAC-SHA-256 (RFC 8018, section 5.2), for keys of one block: 32 bytes.
///
/// It is implemented with the hash function, not with `HMAC`: both hashes of an iteration start with a block that only depends on the
/// password, and reusing the state after that block halves the work. The cryptography package's extras contain this function too, but
/// building them takes longer than building the storage engine.
enum PBKDF2 {
    /// Derives a key from a password. There must be at least one iteration.
    static func deriveKey(from password: [UInt8], salt: [UInt8], iterations: Int) -> SymmetricKey {
        let hmac = KeyedHash(password)
        // The salt is followed by the number of the block.
        var link = hmac(salt + [0, 0, 0, 1])
        var key = link.words
        for _ in 1..<iterations {
            link = link.withUnsafeBytes { hmac($0) }
            key ^= link.words
        }
        return withUnsafeBytes(of: key) { SymmetricKey(data: $0) }
    }
}

/// HMAC-SHA-256 (RFC 2104) for many messages with the same key.
private struct KeyedHash {
    private static let blockSize = 64

    private let inner: SHA256
    private let outer: SHA256

    init(_ key: [UInt8]) {
        var block = key.count > Self.blockSize ? Array(SHA256.hash(data: key)) : key
        block += repeatElement(0, count: Self.blockSize - block.count)
        inner = Self.begun(with: block, pad: 0x36)
        outer = Self.begun(with: block, pad: 0x5C)
    }

    private static func begun(with block: [UInt8], pad: UInt8) -> SHA256 {
        var hash = SHA256()
        hash.update(data: block.map { $0 ^ pad })
        return hash
    }

    func callAsFunction(_ message: [UInt8]) -> SHA256Digest { message.withUnsafeBytes { self($0) } }

    func callAsFunction(_ message: UnsafeRawBufferPointer) -> SHA256Digest {
        var inner = inner
        inner.update(bufferPointer: message)
        var outer = outer
        inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
        return outer.finalize()
    }
}

extension SHA256Digest {
    /// The 32 bytes in order, as a vector for combining them in one operation.
    fileprivate var words: SIMD4<UInt64> {
        withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }
}
