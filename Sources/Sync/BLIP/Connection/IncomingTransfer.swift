import Base

/// A message that is being received: its properties and body so far.
struct IncomingTransfer {
    let type: MessageType
    let flags: FrameFlags
    /// The start of the message until its properties are complete.
    private var head: [UInt8] = []
    private(set) var properties: Properties?
    private var body: [UInt8] = []
    /// Whether this is a request whose body exceeded the limit: the rest of the body is discarded.
    private(set) var isTooLarge = false
    let reservation: MemoryReservation
    private var propertiesCost = 0
    /// The bytes of the message's frames without their headers but including checksums (Replication 2.8).
    private var receivedByteCount: UInt64 = 0
    private var unacknowledgedByteCount = 0

    /// The memory that a message uses besides its properties and its body, in bytes.
    private static let ownCost = 512
    /// The memory that a property uses besides its text, in bytes.
    private static let costOfProperty = 40

    /// - Throws: ``BLIPError`` if the memory limit is reached.
    init(type: MessageType, flags: FrameFlags, _ account: MemoryAccount) throws(BLIPError) {
        self.type = type
        self.flags = flags
        reservation = MemoryReservation(account)
        try reserve()
    }

    var byteCount: Int { head.count + body.count }

    /// Adds a piece of the payload of the next frame.
    mutating func add(_ payload: ArraySlice<UInt8>, _ number: UInt64, _ options: BLIPOptions) throws(BLIPError) {
        let content: ArraySlice<UInt8>
        if properties != nil {
            content = payload
        } else if head.isEmpty {
            content = try decodeProperties(payload, number, options)
            // An incomplete block is kept until the next piece arrives.
            if properties == nil {
                try reserve(head: payload.count)
                head = Array(payload)
            }
        } else {
            try reserve(head: 2 * (head.count + payload.count))
            head.append(contentsOf: payload)
            content = try decodeProperties(head[...], number, options)
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

    /// Appends to the body, which grows by a quarter each time, so that no more is allocated than was reserved.
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

    /// Sets the reserved memory to the given sizes plus the fixed costs.
    private func reserve(head: Int = 0, body: Int = 0) throws(BLIPError) {
        try reservation.resize(to: Self.ownCost + propertiesCost + head + body)
    }

    /// Decodes the properties if they are complete, and returns the bytes after them.
    private mutating func decodeProperties(
        _ bytes: ArraySlice<UInt8>,
        _ number: UInt64,
        _ options: BLIPOptions
    ) throws(BLIPError) -> ArraySlice<UInt8> {
        var index = bytes.startIndex
        guard let size = Varint.read(bytes, at: &index) else {
            if bytes.count < Varint.maximumSize { return [] }
            throw .badProperties(message: number, reason: "their length is not a valid number")
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

    /// Counts the bytes of a frame that is not the last.
    ///
    /// - Returns: The number of bytes received so far if it is time to acknowledge them, otherwise `nil`.
    mutating func acknowledge(_ frameByteCount: Int) -> UInt64? {
        receivedByteCount += UInt64(frameByteCount)
        unacknowledgedByteCount += frameByteCount
        guard unacknowledgedByteCount >= FrameLimits.acknowledgementInterval else { return nil }
        unacknowledgedByteCount = 0
        return receivedByteCount
    }

    /// Returns the body bytes received since the last call and releases their memory reservation: the message no longer owns them.
    mutating func drainPart() throws(BLIPError) -> [UInt8] {
        let part = drainBody()
        if properties != nil { try reserve() }
        return part
    }

    /// Returns the body bytes received since the last call.
    mutating func drainBody() -> [UInt8] {
        defer { body = [] }
        return body
    }

    func completeProperties(_ number: UInt64) throws(BLIPError) -> Properties {
        guard let properties else { throw .badProperties(message: number, reason: "the message ends inside them") }
        return properties
    }
}
