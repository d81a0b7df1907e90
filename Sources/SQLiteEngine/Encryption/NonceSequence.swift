/// Nonces that do not repeat: ten random bytes followed by a counter of two bytes. When the counter overflows, new random bytes are
/// generated.
///
/// Random numbers are therefore rarely needed, and even 2³² sealed pages use only 2¹⁶ random values of 80 bits.
struct NonceSequence: Sendable {
    static let nonceSize = 12
    private static let randomSize = 10

    private var random: [UInt8]
    private var count: UInt16

    init() {
        self.init(random: Array(randomCount: Self.randomSize), count: 0)
    }

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
