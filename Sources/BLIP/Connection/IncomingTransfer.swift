/// A message on its way in: its properties and body as far as they have come.
struct IncomingTransfer {
    let type: MessageType
    let flags: FrameFlags
    /// The beginning of the message until its properties are complete.
    private var head: [UInt8] = []
    /// Nil until they have come.
    private(set) var properties: Properties?
    private var body: [UInt8] = []
    /// Bytes behind the headers of its frames, checksums included (Replication 2.8).
    private var receivedByteCount: UInt64 = 0
    private var unacknowledgedByteCount = 0

    init(type: MessageType, flags: FrameFlags) {
        self.type = type
        self.flags = flags
    }

    /// What it takes in memory.
    var byteCount: Int { head.count + body.count }

    /// Takes the payload of its next frame.
    mutating func add(_ payload: ArraySlice<UInt8>, _ number: UInt64, _ options: BLIPOptions) throws(BLIPError) {
        let content: ArraySlice<UInt8>
        if properties != nil {
            content = payload
        } else if head.isEmpty {
            content = try takeProperties(payload, number, options)
            // What is left of an incomplete block waits for the next frame.
            if properties == nil { head = Array(payload) }
        } else {
            head.append(contentsOf: payload)
            content = try takeProperties(head[...], number, options)
            if properties != nil { head = [] }
        }
        guard properties != nil, !content.isEmpty else { return }
        guard content.count <= options.maximumBodySize - body.count else {
            throw .bodyTooLarge(message: number, limit: options.maximumBodySize)
        }
        if body.isEmpty { body = Array(content) } else { body.append(contentsOf: content) }
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
            properties = try Properties(decoding: rest.prefix(Int(size)))
        } catch {
            throw .badProperties(message: number, reason: error.rawValue)
        }
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
