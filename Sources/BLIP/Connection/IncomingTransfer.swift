/// A message on its way in: its properties and body as far as they have come.
struct IncomingTransfer {
    let type: MessageType
    let flags: FrameFlags
    /// The beginning of the message until its properties are complete.
    private var head: [UInt8] = []
    /// Nil until they have come.
    private(set) var properties: Properties?
    private var body: [UInt8] = []
    /// Whether it is a request whose body was longer than may be taken: what comes further of it is read over.
    private(set) var isTooLarge = false
    /// What it takes in memory.
    let hold: MemoryReservation
    private var propertiesCost = 0
    /// Bytes behind the headers of its frames, checksums included (Replication 2.8).
    private var receivedByteCount: UInt64 = 0
    private var unacknowledgedByteCount = 0

    /// What a message takes besides its properties and its body, in bytes.
    private static let ownCost = 512
    /// What a property takes besides its text.
    private static let costOfProperty = 40

    /// - Throws: ``BLIPError`` when there is no memory for it.
    init(type: MessageType, flags: FrameFlags, _ account: MemoryAccount) throws(BLIPError) {
        self.type = type
        self.flags = flags
        hold = MemoryReservation(account)
        try reserve()
    }

    /// The bytes of it that are in memory.
    var byteCount: Int { head.count + body.count }

    /// Takes a piece of the payload of its next frame.
    mutating func add(_ payload: ArraySlice<UInt8>, _ number: UInt64, _ options: BLIPOptions) throws(BLIPError) {
        let content: ArraySlice<UInt8>
        if properties != nil {
            content = payload
        } else if head.isEmpty {
            content = try takeProperties(payload, number, options)
            // What is left of an incomplete block waits for the next piece.
            if properties == nil {
                try reserve(head: payload.count)
                head = Array(payload)
            }
        } else {
            try reserve(head: 2 * (head.count + payload.count))
            head.append(contentsOf: payload)
            content = try takeProperties(head[...], number, options)
            if properties != nil { head = [] }
        }
        guard properties != nil, !content.isEmpty, !isTooLarge else { return }
        let limit = type == .request ? options.maximumBodySize(of: properties) : options.maximumBodySize
        guard content.count <= limit - body.count else {
            guard type == .request else { throw .bodyTooLarge(message: number, limit: limit) }
            isTooLarge = true
            body = []
            return try reserve()
        }
        try append(content, limit: limit, cost: options.bodyCost)
    }

    /// Adds to the body, which grows by quarters, so that no more is allocated than has been reserved.
    private mutating func append(_ content: ArraySlice<UInt8>, limit: Int, cost: Int) throws(BLIPError) {
        let count = body.count + content.count
        if count > body.capacity {
            let capacity = max(count, min(body.capacity + body.capacity / 4, limit))
            try reserve(body: cost * capacity)
            if body.isEmpty {
                body = Array(content)
                return
            }
            body.reserveCapacity(capacity)
        }
        body.append(contentsOf: content)
    }

    /// Reserves what it is going to take.
    private mutating func reserve(head: Int = 0, body: Int = 0) throws(BLIPError) {
        do throws(MemoryAccount.Refusal) {
            try hold.resize(to: Self.ownCost + propertiesCost + head + body)
        } catch {
            throw BLIPError(error)
        }
    }

    /// Decodes the properties when they are complete, and returns what follows them.
    private mutating func takeProperties(
        _ bytes: ArraySlice<UInt8>,
        _ number: UInt64,
        _ options: BLIPOptions
    ) throws(BLIPError) -> ArraySlice<UInt8> {
        var index = bytes.startIndex
        guard let size = Varint.read(bytes, at: &index) else {
            if bytes.count < Varint.maximumSize { return [] }
            throw .badProperties(message: number, reason: "their length is no number")
        }
        guard size <= UInt64(max(0, options.maximumPropertiesSize)) else {
            throw .propertiesTooLarge(message: number, limit: options.maximumPropertiesSize)
        }
        let rest = bytes[index...]
        guard rest.count >= Int(size) else { return [] }
        do {
            let decoded = try Properties(decoding: rest.prefix(Int(size)))
            propertiesCost = Int(size) + decoded.pairs.count * Self.costOfProperty
            properties = decoded
        } catch {
            throw .badProperties(message: number, reason: error.rawValue)
        }
        try reserve()
        return rest.dropFirst(Int(size))
    }

    /// Counts the bytes of a frame that is not the last, and returns how many have come when it is time to say so.
    mutating func acknowledge(_ frameByteCount: Int) -> UInt64? {
        receivedByteCount += UInt64(frameByteCount)
        unacknowledgedByteCount += frameByteCount
        guard unacknowledgedByteCount >= FrameLimits.acknowledgementInterval else { return nil }
        unacknowledgedByteCount = 0
        return receivedByteCount
    }

    /// What of the body has come since the last call, for whoever takes it in parts: its memory is not this message's any more.
    mutating func takePart() throws(BLIPError) -> [UInt8] {
        let part = takeBody()
        if properties != nil { try reserve() }
        return part
    }

    /// What of the body has come since the last call.
    mutating func takeBody() -> [UInt8] {
        let bytes = body
        body = []
        return bytes
    }

    /// The properties of a message that is complete.
    func completeProperties(_ number: UInt64) throws(BLIPError) -> Properties {
        guard let properties else { throw .badProperties(message: number, reason: "the message ends inside them") }
        return properties
    }
}
