#if Replication
/// Writes messages of BLIP as bytes, from Replication 2 only: each in one frame, which is not compressed.
struct RawMessages {
    private var number: UInt8 = 0
    /// The complement of the checksum of all payloads so far (Replication 2.5).
    private var state = UInt32.max

    /// Returns the frame of the next request.
    ///
    /// - Parameters:
    ///   - properties: The properties. Their keys and values together have fewer than 16,000 bytes.
    ///   - isComplete: Whether no other frame of the message follows.
    mutating func request(_ properties: [(String, String)], body: [UInt8] = [], isComplete: Bool = true) -> [UInt8] {
        let block = properties.flatMap { key, value in Array("\(key)\0\(value)\0".utf8) }
        let length: [UInt8] =
            block.count < 128 ? [UInt8(block.count)] : [UInt8(block.count & 0x7F | 0x80), UInt8(block.count >> 7)]
        let payload = length + block + body
        for byte in payload {
            state ^= UInt32(byte)
            for _ in 0..<8 { state = state >> 1 ^ (state & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        number += 1
        let checksum = (0..<4).reversed().map { UInt8(truncatingIfNeeded: ~state >> ($0 * 8)) }
        return [number, isComplete ? 0 : 0x40] + payload + checksum
    }
}
#endif
