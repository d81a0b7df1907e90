import Base

/// The type of the message that a frame belongs to (Replication 2.3).
enum MessageType: UInt8 {
    case request = 0, response, error
    case requestAcknowledgement = 4, responseAcknowledgement
}

/// The flags of a frame, including its type (Replication 2.3). Undefined bits are ignored.
struct FrameFlags: OptionSet {
    let rawValue: UInt8

    static let compressed = FrameFlags(rawValue: 0x08)
    static let urgent = FrameFlags(rawValue: 0x10)
    static let noReply = FrameFlags(rawValue: 0x20)
    /// This is not the message's last frame.
    static let moreComing = FrameFlags(rawValue: 0x40)

    /// The type; `nil` if it is unknown, in which case the frame is ignored.
    var type: MessageType? { MessageType(rawValue: rawValue & 0x07) }
}

/// The sizes that the protocol fixes, in bytes (Replication 1.7, 2.4, 2.5, 2.7, 2.8).
enum FrameLimits {
    /// The size of a whole frame, including header and checksum.
    static let frameSize = 16384
    /// The size of a frame of an ordinary message while an urgent one is queued.
    static let smallFrameSize = 4096
    static let checksumSize = 4
    /// The number of unacknowledged bytes at which a message pauses sending.
    static let sendWindow = 128_000
    /// The number of received bytes after which a message is acknowledged.
    static let acknowledgementInterval = 50_000
}

/// A frame that tells the sender how much of a message was received, so that it can continue (Replication 2.8).
struct Acknowledgement {
    /// `requestAcknowledgement` or `responseAcknowledgement`.
    let type: MessageType
    let number: UInt64
    /// The bytes of all frames of the message as transmitted, without their headers but including checksums.
    var byteCount: UInt64

    /// The encoded frame. It has no checksum.
    var frame: [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(Varint.size(of: number) + 1 + Varint.size(of: byteCount))
        Varint.append(number, to: &frame)
        frame.append(FrameFlags(rawValue: type.rawValue).union([.urgent, .noReply]).rawValue)
        Varint.append(byteCount, to: &frame)
        return frame
    }
}
