// Parses JSON from bytes into an encoder. Every read is preceded by a comparison with `end`; words of eight bytes are only loaded if eight
// bytes remain.

/// A strict parser of JSON texts (RFC 8259, Storage format 9.1) that writes the parsed values into an ``Encoder``.
struct JSONParser: ~Copyable {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var cursor: UnsafePointer<UInt8>
    /// A buffer for strings with escapes.
    var scratch: UnsafeMutablePointer<UInt8>
    var scratchCapacity = 64
    private let maximumDepth: Int
    let allowsInfinity: Bool

    /// - Parameter text: The text. It must stay valid while the parser is used.
    init(_ text: UnsafeRawBufferPointer, maximumDepth: Int, allowsInfinity: Bool) {
        self.maximumDepth = maximumDepth
        self.allowsInfinity = allowsInfinity
        scratch = .allocate(capacity: scratchCapacity)
        // An empty text may have no address. Any address can be used, because nothing is read from it.
        start = text.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(scratch)
        end = start + text.count
        cursor = start
    }

    deinit { scratch.deallocate() }

    mutating func skipByteOrderMark() {
        if end - cursor >= 3, cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF { cursor += 3 }
    }

    /// Skips white space. Returns `false` at the end of the text.
    @inline(__always)
    mutating func skipToContent() -> Bool {
        while cursor < end {
            switch cursor.pointee {
            case 0x20, 0x0A, 0x0D, 0x09: cursor += 1
            default: return true
            }
        }
        return false
    }

    mutating func parseRoot(into encoder: inout Encoder, allowingFragments: Bool) throws(JSONFailure) {
        let first = try nextByte()
        if !allowingFragments, first != UInt8(ascii: "{"), first != UInt8(ascii: "[") { throw failure(.notAContainer) }
        try parseValue(first, into: &encoder, depth: 0)
    }

    mutating func expectEnd() throws(JSONFailure) {
        if skipToContent() { throw failure(.trailingContent) }
    }

    func failure(_ reason: JSONError.Reason, at place: UnsafePointer<UInt8>? = nil) -> JSONFailure {
        JSONFailure(reason: reason, offset: (place ?? cursor) - start)
    }

    /// Returns the next byte that is not white space, without consuming it.
    @inline(__always)
    private mutating func nextByte() throws(JSONFailure) -> UInt8 {
        guard skipToContent() else { throw failure(.unexpectedEnd) }
        return cursor.pointee
    }

    private mutating func parseValue(_ first: UInt8, into encoder: inout Encoder, depth: Int) throws(JSONFailure) {
        switch first {
        case UInt8(ascii: "\""):
            cursor += 1
            encoder.write(utf8: try scanString())
        case UInt8(ascii: "{"):
            try parseObject(into: &encoder, depth: depth)
        case UInt8(ascii: "["):
            try parseArray(into: &encoder, depth: depth)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try parseNumber(into: &encoder)
        case UInt8(ascii: "t"):
            try expect("true")
            encoder.write(true)
        case UInt8(ascii: "f"):
            try expect("false")
            encoder.write(false)
        case UInt8(ascii: "n"):
            try expect("null")
            encoder.writeNull()
        default:
            throw failure(.unexpectedCharacter)
        }
    }

    private mutating func parseArray(into encoder: inout Encoder, depth: Int) throws(JSONFailure) {
        guard depth < maximumDepth else { throw failure(.tooDeep) }
        encoder.beginArray()
        var next = try firstItem(before: UInt8(ascii: "]"))
        while let first = next {
            try parseValue(first, into: &encoder, depth: depth &+ 1)
            next = try nextItem(before: UInt8(ascii: "]"))
        }
        encoder.endArray()
    }

    private mutating func parseObject(into encoder: inout Encoder, depth: Int) throws(JSONFailure) {
        guard depth < maximumDepth else { throw failure(.tooDeep) }
        let beginning = cursor
        encoder.beginDictionary()
        var next = try firstItem(before: UInt8(ascii: "}"))
        while let first = next {
            guard first == UInt8(ascii: "\"") else { throw failure(.unexpectedCharacter) }
            cursor += 1
            encoder.writeKey(utf8: try scanString())
            guard try nextByte() == UInt8(ascii: ":") else { throw failure(.unexpectedCharacter) }
            cursor += 1
            try parseValue(try nextByte(), into: &encoder, depth: depth &+ 1)
            next = try nextItem(before: UInt8(ascii: "}"))
        }
        guard encoder.endDictionaryCheckingKeys() else { throw duplicateKey(in: beginning) }
    }

    /// Skips the bracket at the start of a container. Returns the first byte of the first item; `nil` after skipping the bracket `end` of an
    /// empty container.
    @inline(__always)
    private mutating func firstItem(before end: UInt8) throws(JSONFailure) -> UInt8? {
        cursor += 1
        let first = try nextByte()
        guard first == end else { return first }
        cursor += 1
        return nil
    }

    /// Skips the comma after an item. Returns the first byte of the next item; `nil` after skipping the bracket `end` of the container.
    @inline(__always)
    private mutating func nextItem(before end: UInt8) throws(JSONFailure) -> UInt8? {
        let separator = try nextByte()
        if separator != end, separator != UInt8(ascii: ",") { throw failure(.unexpectedCharacter) }
        cursor += 1
        return separator == end ? nil : try nextByte()
    }

    @inline(__always)
    private mutating func expect(_ word: StaticString) throws(JSONFailure) {
        let length = word.utf8CodeUnitCount
        var index = 1
        while index < length {
            guard cursor + index < end else { throw failure(.unexpectedEnd, at: end) }
            guard cursor[index] == word.utf8Start[index] else { throw failure(.unexpectedCharacter, at: cursor + index) }
            index += 1
        }
        cursor += length
    }

    /// Parses a well-formed object again, to find the first duplicate key.
    @inline(never)
    private mutating func duplicateKey(in object: UnsafePointer<UInt8>) -> JSONFailure {
        let objectEnd = cursor
        var level = 0
        var isKey = false
        var keys: Set<[UInt8]> = []
        cursor = object
        while cursor < objectEnd {
            let place = cursor
            cursor += 1
            switch place.pointee {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                level += 1
                isKey = level == 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): level -= 1
            case UInt8(ascii: ","): isKey = level == 1
            case UInt8(ascii: "\""):
                guard let text = try? scanString() else { return failure(.duplicateKey, at: place) }
                if isKey, !keys.insert([UInt8](text)).inserted { return failure(.duplicateKey, at: place) }
                isKey = false
            default: break
            }
        }
        return failure(.duplicateKey, at: object)
    }
}
