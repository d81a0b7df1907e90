import Base

/// A message that is being sent, with its sent and acknowledged byte counts.
///
/// It belongs to the connection that sends it, and is accessed nowhere else.
final class OutgoingTransfer {
    /// The number of bytes read from a source at a time: enough for several frames.
    private static let pieceSize = 64 << 10

    let type: MessageType
    let token: RequestToken?
    let isUrgent: Bool
    let isNoReply: Bool
    let isOrdered: Bool
    /// Whether the message is compressed; set to `false` before the first frame if compression would not make it smaller, or if there is
    /// no memory for it.
    var isCompressed: Bool
    let streamsReply: Bool
    /// The number; 0 before a request's first frame (Replication 2.1).
    private(set) var number: UInt64
    private(set) var hasBegun = false
    /// Whether the message is waiting for an acknowledgement, outside of the queue.
    var awaitsAcknowledgement = false

    /// The number of bytes that the message takes from the memory account while it is queued: all bytes that are in memory when sending begins.
    let cost: Int
    /// The part of ``cost`` that counts as a queued answer. A stream does not count, because its bytes are read only when they are sent.
    let answerCost: Int
    private let memory: MemoryAccount

    private let properties: Properties
    /// The encoded properties, and the part of the body that is in memory; each with the number of bytes sent.
    private var head: [UInt8] = []
    private var headOffset = 0
    private var piece: [UInt8]
    private var pieceOffset = 0
    /// The rest of the body; `nil` at its end.
    private var source: (any BodySource)?
    /// The bytes of the message's frames without their headers but including checksums (Replication 2.8).
    private var sentByteCount: UInt64 = 0
    private var unacknowledgedByteCount: UInt64 = 0

    /// The memory that a message uses besides its properties and its body, in bytes.
    private static let ownCost = 256

    init(
        _ message: OutgoingMessage,
        type: MessageType,
        number: UInt64 = 0,
        token: RequestToken? = nil,
        isUrgent: Bool,
        streamsReply: Bool = false,
        memory: MemoryAccount
    ) {
        self.memory = memory
        self.type = type
        self.number = number
        self.token = token
        self.isUrgent = isUrgent
        self.isNoReply = message.isNoReply && type == .request
        isOrdered = message.isOrdered
        self.isCompressed = message.isCompressed && type != .error
        self.streamsReply = streamsReply
        properties = message.properties
        switch message.body {
        case .bytes(let bytes): piece = bytes
        case .stream(let source):
            piece = []
            self.source = source
        }
        let size = properties.pairs.reduce(Self.ownCost) { $0 + $1.name.utf8.count + $1.value.utf8.count } + piece.count
        cost = source == nil ? size : size + Self.pieceSize
        answerCost = type == .request ? 0 : size
        memory.add(cost)
    }

    deinit { memory.release(cost) }

    /// The number of body bytes that are in memory and not sent yet.
    var loadedByteCount: Int { piece.count - pieceOffset }

    /// Whether the message must wait for an acknowledgement before it sends more.
    var isWindowFull: Bool { unacknowledgedByteCount >= UInt64(FrameLimits.sendWindow) }

    var isComplete: Bool { hasBegun && headOffset == head.count && loadedByteCount == 0 && source == nil }

    /// Prepares the message for sending. Must be called before the first frame.
    ///
    /// - Parameters:
    ///   - compresses: Whether the connection compresses messages at all.
    ///   - buffer: Memory for the encoded properties; ``nextFrame(_:limit:recycling:)`` returns it.
    func begin(number: UInt64, compresses: Bool, buffer: inout [UInt8]) {
        self.number = number
        hasBegun = true
        swap(&head, &buffer)
        head.removeAll(keepingCapacity: true)
        properties.encode(to: &head)
        isCompressed = isCompressed && compresses
        guard isCompressed else { return }
        load(1)
        isCompressed = CompressionPolicy.isCompressible(piece[...])
    }

    /// Returns the next frame, whose size is at most `limit`.
    func nextFrame(_ encoder: inout FrameEncoder, limit: Int, recycling buffer: inout [UInt8]) -> [UInt8] {
        let capacity = encoder.capacity(frameSize: limit, number: number, isCompressed: isCompressed)
        // One byte more than the frame takes is loaded, to know whether the frame is the last one. The last frame is thus never empty; an
        // empty frame must not be marked as compressed.
        load(max(1, capacity + 1 - (head.count - headOffset)))
        let headEnd = min(head.count, headOffset + capacity)
        let pieceEnd = min(piece.count, pieceOffset + capacity - (headEnd - headOffset))
        let isLast = headEnd == head.count && pieceEnd == piece.count && source == nil

        var flags = FrameFlags(rawValue: type.rawValue)
        if isCompressed { flags.insert(.compressed) }
        if isUrgent { flags.insert(.urgent) }
        if isNoReply { flags.insert(.noReply) }
        if !isLast { flags.insert(.moreComing) }
        let frame = encoder.frame(number: number, flags: flags, head: head[headOffset..<headEnd], body: piece[pieceOffset..<pieceEnd])
        headOffset = headEnd
        pieceOffset = pieceEnd
        if headOffset == head.count, !head.isEmpty {
            swap(&head, &buffer)
            head = []
            headOffset = 0
        }
        let size = UInt64(frame.count - Varint.size(of: number) - 1)
        sentByteCount += size
        unacknowledgedByteCount += size
        return frame
    }

    /// Notes how many bytes of the message the peer has received.
    func acknowledge(_ byteCount: UInt64) {
        guard byteCount <= sentByteCount else { return }
        unacknowledgedByteCount = min(unacknowledgedByteCount, sentByteCount - byteCount)
    }

    /// Reads from the source until `count` bytes are in memory, or the source is at its end.
    private func load(_ count: Int) {
        while let source, loadedByteCount < count {
            // If the source fails, the body ends here; the digest tells the receiver that it is incomplete.
            let bytes = (try? source.read(upTo: Self.pieceSize)) ?? []
            if bytes.isEmpty {
                self.source = nil
            } else if loadedByteCount == 0 {
                piece = bytes
                pieceOffset = 0
            } else {
                piece.removeSubrange(..<pieceOffset)
                piece.append(contentsOf: bytes)
                pieceOffset = 0
            }
        }
    }
}
