@testable import BLIP

/// Frames that contain more compressed bytes than a connection of this library would put into them.
enum Deflated {
    static func frame(_ number: UInt64, _ flags: UInt8, _ payload: [UInt8]) throws -> [UInt8] {
        var encoder = FrameEncoder(compression: CompressionPolicy(highestLevel: 9))
        return encoder.frame(number: number, flags: FrameFlags(rawValue: flags), head: [], body: payload[...])
    }
}
