@testable import BLIP

/// Frames with more compressed bytes in them than a connection would put there.
enum Deflated {
    static func frame(_ number: UInt64, _ flags: UInt8, _ payload: [UInt8]) throws -> [UInt8] {
        var encoder = FrameEncoder(compression: CompressionPolicy(highestLevel: 9))
        return encoder.frame(number: number, flags: FrameFlags(rawValue: flags), head: [], body: payload[...])
    }
}
