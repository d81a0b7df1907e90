/// A message on its way out: what of it has been sent, and what of that was acknowledged.
///
/// It belongs to the connection it is sent through, and is touched nowhere else.
final class OutgoingTransfer {
    /// What is read from a source at once: some frames' worth.
    private static let pieceSize = 64 << 10

    let type: MessageType
    /// Of a request.
    let token: RequestToken?
    let isUrgent: Bool
    let isNoReply: Bool
    /// Of a message that is to be compressed, set back when it would not become smaller.
    private var isCompressed: Bool
    let streamsReply: Bool
    /// 0 before a request's first frame (Replication 2.1).
    private(set) var number: UInt64
    private(set) var hasBegun = false
    /// Whether it waits for an acknowledgement, out of line.
    var isParked = false

    /// What it is counted with while it is in line, in bytes: all that is in memory when it begins.
    let cost: Int
    /// Of that, what counts as an answer that waits: the bytes of a stream are read only when they are sent.
    let answerCost: Int
    private let memory: MemoryAccount

    private let properties: Properties
    /// The encoded properties, and the part of the body that is in memory; each with what has been sent of it.
    private var head: [UInt8] = []
    private var headOffset = 0
    private var piece: [UInt8]
    private var pieceOffset = 0
    /// The rest of the body; nil at its end.
    private var source: (any BodySource)?
    /// Bytes behind the headers of its frames, checksums included (Replication 2.8).
    private var sentByteCount: UInt64 = 0
    private var unacknowledgedByteCount: UInt64 = 0

    /// What a message takes besides its properties and its body, in bytes.
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
        self.isCompressed = message.isCompressed && type != .error
        self.streamsReply = streamsReply
        properties = message.properties
        switch message.body {
        case .bytes(let bytes):
            piece = bytes
        case .stream(let source):
            piece = []
            self.source = source
        }
        let size = properties.pairs.reduce(Self.ownCost) { $0 + $1.name.utf8.count + $1.value.utf8.count } + piece.count
        cost = source == nil ? size : size + Self.pieceSize
        answerCost = type == .request ? 0 : size
        memory.add(cost)
    }

    deinit {
        memory.release(cost)
    }

    /// The bytes of its body that are in memory and not sent yet.
    var loadedByteCount: Int { piece.count - pieceOffset }

    /// Whether it has sent so much that it must wait for an acknowledgement.
    var isWindowFull: Bool { unacknowledgedByteCount >= UInt64(FrameLimits.sendWindow) }

    /// Whether all of it has been sent.
    var isComplete: Bool { hasBegun && headOffset == head.count && loadedByteCount == 0 && source == nil }

    /// To be called before the first frame.
    ///
    /// - Parameter buffer: Memory to use for the properties; it comes back from ``nextFrame(_:limit:recycling:)``.
    func begin(number: UInt64, compresses: Bool, buffer: inout [UInt8]) {
        self.number = number
        hasBegun = true
        swap(&head, &buffer)
        head.removeAll(keepingCapacity: true)
        properties.encode(to: &head)
        guard isCompressed else { return }
        load(1)
        isCompressed = compresses && CompressionPolicy.isCompressible(piece[...])
    }

    /// The next frame.
    ///
    /// - Parameter limit: The size of the whole frame.
    func nextFrame(_ encoder: inout FrameEncoder, limit: Int, recycling buffer: inout [UInt8]) -> [UInt8] {
        let capacity = encoder.capacity(frameSize: limit, number: number, isCompressed: isCompressed)
        // One more tells whether this frame is the last, so that none is empty: an empty one must not be marked compressed.
        load(max(1, capacity + 1 - (head.count - headOffset)))
        let headEnd = min(head.count, headOffset + capacity)
        let pieceEnd = min(piece.count, pieceOffset + capacity - (headEnd - headOffset))
        let isLast = headEnd == head.count && pieceEnd == piece.count && source == nil

        var flags = FrameFlags(type)
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

    /// The peer has received this much of it.
    func acknowledge(_ byteCount: UInt64) {
        guard byteCount <= sentByteCount else { return }
        unacknowledgedByteCount = min(unacknowledgedByteCount, sentByteCount - byteCount)
    }

    /// Reads from the source until `count` bytes are in memory, or all of it.
    private func load(_ count: Int) {
        while let source, loadedByteCount < count {
            // A body that cannot be read on ends here; its receiver knows by the digest that it is not whole.
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
