import BLIP
import TestSupport

/// Generates valid and invalid frames.
struct HostilePeer {
    private var generator: SeededGenerator
    private var composer = FrameComposer()
    private var lastRequest: UInt64 = 0
    /// Frames of a valid connection, some of which are modified, in reverse order; empty for a peer that composes random frames.
    private var genuine: [[UInt8]] = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        guard chance(3) else { return }
        var connection = BLIPConnection()
        for index in 0..<6 {
            let body = (0..<random(600)).map { UInt8(truncatingIfNeeded: $0 % (7 + index)) }
            connection.send(
                OutgoingMessage(
                    ["Profile": "y", "index": "\(index)"],
                    body: body,
                    isUrgent: chance(3),
                    isNoReply: chance(3),
                    isCompressed: chance(2)
                )
            )
        }
        while let frame = connection.nextFrame() { genuine.append(frame) }
        genuine.reverse()
    }

    /// Returns the next frame, valid or not.
    mutating func nextFrame() -> [UInt8] {
        if let frame = genuine.popLast() { return chance(6) ? altered(frame) : frame }
        switch random(20) {
        case 0: return (0..<random(40)).map { _ in byte() }
        case 1, 2: return acknowledgement()
        case 3: return altered(madeUp())
        default: return madeUp()
        }
    }

    private mutating func altered(_ frame: [UInt8]) -> [UInt8] {
        var frame = frame
        switch random(6) {
        case 0: frame.removeLast(random(frame.count + 1))
        case 1: frame.append(contentsOf: (0..<random(5)).map { _ in byte() })
        case 2 where !frame.isEmpty: frame[0] = byte()
        case 3 where frame.count > 1: frame[1] = byte()
        case 4: genuine.append(frame)
        default: if !frame.isEmpty { frame[random(frame.count)] ^= 1 << UInt8(random(8)) }
        }
        return frame
    }

    private mutating func acknowledgement() -> [UInt8] {
        FrameComposer.acknowledgement(
            UInt64(random(8)),
            type: chance(2) ? 0x34 : 0x35,
            of: chance(4) ? generator.next() : UInt64(random(200_000))
        )
    }

    /// Returns a random frame of a request or a response, usually with the correct checksum.
    private mutating func madeUp() -> [UInt8] {
        var number = UInt64(random(7))
        let type: UInt8 = chance(8) ? byte() & 7 : UInt8(random(3))
        if type == 0, !chance(6) {
            if lastRequest == 0 || chance(2) { lastRequest += 1 }
            number = lastRequest
        }
        var flags = type
        if chance(2) { flags |= 0x40 }
        if chance(4) { flags |= 0x10 }
        if chance(4) { flags |= 0x20 }
        if chance(40) { flags |= 0x80 }
        let data = payload()
        let compression: FrameComposer.Compression = chance(3) ? (chance(20) ? .pretended : .stored) : .none
        return composer.frame(number, flags: flags, data, compression: compression, hasRightChecksum: !chance(60))
    }

    /// Returns random properties and body of a message, or only a part of them.
    private mutating func payload() -> [UInt8] {
        var block: [UInt8] = []
        for _ in 0..<random(4) {
            block += (0..<random(6)).map { _ in 0x61 + byte() % 26 } + [0]
            block +=
                (0..<random(chance(10) ? 300 : 12)).map { _ in chance(50) ? byte() : 0x61 } + (chance(40) ? [] : [0])
        }
        let size = chance(20) ? generator.next() >> UInt64(random(64)) : UInt64(block.count)
        let body = [UInt8](repeating: byte(), count: random(chance(30) ? 5000 : 60))
        let bytes = FrameComposer.varint(size) + block + body
        return chance(4) ? Array(bytes.prefix(random(bytes.count + 1))) : bytes
    }

    private mutating func random(_ limit: Int) -> Int { Int.random(in: 0..<max(1, limit), using: &generator) }
    private mutating func chance(_ one: Int) -> Bool { random(one) == 0 }
    private mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: generator.next()) }
}
