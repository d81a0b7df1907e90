/// Nonces that do not repeat: ten random bytes, and two that count. At the end of the count the random ones are made anew.
///
/// So random numbers are rarely asked for, and even 2³² sealed pages use only 2¹⁶ random values of 80 bits.
struct NonceSequence: Sendable {
    static let nonceSize = 12
    private static let randomSize = 10

    private var random: [UInt8]
    private var count: UInt16

    init() {
        self.init(random: Array(randomCount: Self.randomSize), count: 0)
    }

    /// A sequence that starts at a known place.
    init(random: [UInt8], count: UInt16) {
        self.random = random
        self.count = count
    }

    /// Writes the next nonce, of 12 bytes.
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
