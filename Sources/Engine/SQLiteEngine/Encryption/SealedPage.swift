import Crypto
import Foundation

/// The layout of a sealed page, that is an encrypted page with its nonce and authentication tag (Encryption format, "Pages").
enum SealedPage {
    static let size = 4096
    /// The number of bytes that SQLite reserves at the end of every page: tag, nonce, and four zero bytes.
    static let overhead = 32
    static let contentSize = size - overhead
    static let tagSize = 16
    private static let unused = 4

    /// Returns whether the reserved bytes at the end of a page contain only zeros.
    static func isReservedSpaceEmpty(_ page: UnsafeRawPointer) -> Bool {
        (0..<overhead / 8).allSatisfy { page.loadUnaligned(fromByteOffset: contentSize + $0 * 8, as: UInt64.self) == 0 }
    }

    /// Encrypts the `count` bytes at `message` in place, and writes the tag and nonce into the 32 bytes after them.
    static func seal(
        _ message: UnsafeMutableRawPointer,
        count: Int,
        authenticating authenticated: UnsafeRawBufferPointer,
        with key: SymmetricKey,
        nonces: inout NonceSequence
    ) throws {
        let nonce = message + count + tagSize
        nonces.writeNext(to: nonce)
        (nonce + NonceSequence.nonceSize).initializeMemory(as: UInt8.self, repeating: 0, count: unused)
        let box = try AES.GCM.seal(
            UnsafeRawBufferPointer(start: message, count: count),
            using: key,
            nonce: AES.GCM.Nonce(data: UnsafeRawBufferPointer(start: nonce, count: NonceSequence.nonceSize)),
            authenticating: authenticated
        )
        copy(box.ciphertext, to: message)
        copy(box.tag, to: message + count)
    }

    /// Decrypts the `count` bytes at `message`, which are followed by the 32 bytes of `seal`, in place.
    ///
    /// The 12 bytes before `message` are overwritten.
    ///
    /// - Returns: `false` if any of these bytes or the associated data differ from what was sealed.
    static func open(
        _ message: UnsafeMutableRawPointer,
        count: Int,
        authenticating authenticated: UnsafeRawBufferPointer,
        with key: SymmetricKey
    ) -> Bool {
        let nonce = message + count + tagSize
        guard (nonce + NonceSequence.nonceSize).loadUnaligned(as: UInt32.self) == 0 else { return false }
        // Placing nonce, message and tag next to each other requires one copy instead of three.
        let start = message - NonceSequence.nonceSize
        start.copyMemory(from: nonce, byteCount: NonceSequence.nonceSize)
        let combined = UnsafeRawBufferPointer(start: start, count: NonceSequence.nonceSize + count + tagSize)
        guard let box = try? AES.GCM.SealedBox(combined: combined),
            let content = try? AES.GCM.open(box, using: key, authenticating: authenticated)
        else { return false }
        copy(content, to: message)
        return true
    }

    private static func copy(_ data: Data, to destination: UnsafeMutableRawPointer) {
        data.withUnsafeBytes { bytes in
            if let address = bytes.baseAddress { destination.copyMemory(from: address, byteCount: bytes.count) }
        }
    }
}

/// Nonces that do not repeat: ten random bytes followed by a counter of two bytes. When the counter overflows, new random bytes are
/// generated.
///
/// Random numbers are therefore rarely needed, and even 2³² sealed pages use only 2¹⁶ random values of 80 bits.
struct NonceSequence: Sendable {
    static let nonceSize = 12
    private static let randomSize = 10

    private var random: [UInt8]
    private var count: UInt16

    init() { self.init(random: Array(randomCount: Self.randomSize), count: 0) }

    /// Creates a sequence that starts at a known position.
    init(random: [UInt8], count: UInt16) {
        self.random = random
        self.count = count
    }

    /// Writes the next nonce, which has 12 bytes.
    @inline(__always)
    mutating func writeNext(to address: UnsafeMutableRawPointer) {
        random.withUnsafeBytes {
            address.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: Self.randomSize)
        }
        address.storeBytes(of: count.bigEndian, toByteOffset: Self.randomSize, as: UInt16.self)
        count &+= 1
        if count == 0 { random = Array(randomCount: Self.randomSize) }
    }
}
