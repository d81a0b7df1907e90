/// What a frame is a part of (Replication 2.3).
enum MessageType: UInt8 {
    case request = 0
    case response = 1
    case error = 2
    case requestAcknowledgement = 4
    case responseAcknowledgement = 5
}

/// The flags of a frame, its type included (Replication 2.3). Bits without a meaning are ignored.
struct FrameFlags: OptionSet {
    let rawValue: UInt8

    static let compressed = FrameFlags(rawValue: 0x08)
    static let urgent = FrameFlags(rawValue: 0x10)
    static let noReply = FrameFlags(rawValue: 0x20)
    /// This is not the message's last frame.
    static let moreComing = FrameFlags(rawValue: 0x40)

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(_ type: MessageType) {
        rawValue = type.rawValue
    }

    /// Nil for a type that does not exist: such frames are ignored.
    var type: MessageType? { MessageType(rawValue: rawValue & 0x07) }
}

/// The sizes that the protocol fixes, in bytes (Replication 1.7, 2.4, 2.5, 2.7, 2.8).
enum FrameLimits {
    /// A whole frame, header and checksum included.
    static let frameSize = 16384
    /// The same, for an ordinary message while an urgent one waits.
    static let smallFrameSize = 4096
    static let checksumSize = 4
    /// A message that has this much unacknowledged on the way waits.
    static let sendWindow = 128_000
    /// What is received of a message before it is acknowledged.
    static let acknowledgementInterval = 50_000
}

/// A frame that says how much of a message has come, so that its sender goes on (Replication 2.8).
struct Acknowledgement {
    /// `requestAcknowledgement` or `responseAcknowledgement`.
    let type: MessageType
    let number: UInt64
    /// The bytes of all frames of the message behind their headers, checksums included, as they were on the wire.
    var byteCount: UInt64

    /// The frame. It has no checksum.
    var frame: [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(Varint.size(of: number) + 1 + Varint.size(of: byteCount))
        Varint.append(number, to: &frame)
        frame.append(FrameFlags(type).union([.urgent, .noReply]).rawValue)
        Varint.append(byteCount, to: &frame)
        return frame
    }
}
