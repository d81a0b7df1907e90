extension JSONParser {
    /// Parses a string up to and including its closing quote. The opening quote has been consumed.
    ///
    /// - Returns: The UTF-8 of the string, which is part of the text or of `scratch` and valid until the next string is parsed.
    @inline(__always)
    mutating func scanString() throws(JSONFailure) -> UnsafeRawBufferPointer {
        let first = cursor
        var place = first
        while end - place >= 8 {
            let marks = TextScan.specials(UnsafeRawPointer(place).loadUnaligned(as: UInt64.self).littleEndian)
            if marks == 0 {
                place += 8
                continue
            }
            place += marks.trailingZeroBitCount &>> 3
            guard place.pointee == UInt8(ascii: "\"") else { break }
            cursor = place + 1
            return UnsafeRawBufferPointer(start: first, count: place - first)
        }
        return try scanString(from: first, at: place)
    }

    /// Continues parsing at bytes that need special handling: non-ASCII characters, escapes, the end of the text.
    @inline(never)
    private mutating func scanString(
        from first: UnsafePointer<UInt8>,
        at place: UnsafePointer<UInt8>
    ) throws(JSONFailure) -> UnsafeRawBufferPointer {
        var runStart = first
        cursor = place
        var length = 0
        while true {
            cursor = TextScan.skipPlain(cursor, end)
            guard cursor < end else { throw failure(.unexpectedEnd) }
            let byte = cursor.pointee
            if byte == UInt8(ascii: "\"") {
                let runEnd = cursor
                cursor += 1
                if runStart == first { return UnsafeRawBufferPointer(start: first, count: runEnd - first) }
                length = appendScratch(runStart, count: runEnd - runStart, at: length)
                return UnsafeRawBufferPointer(start: scratch, count: length)
            }
            if byte == UInt8(ascii: "\\") {
                length = appendScratch(runStart, count: cursor - runStart, at: length)
                length = try appendEscape(at: length)
                runStart = cursor
                continue
            }
            guard byte >= 0x80 else { throw failure(.controlCharacter) }
            let size = TextScan.characterLength(cursor, end)
            guard size > 0 else { throw failure(.badUTF8) }
            cursor += size
        }
    }

    /// Copies bytes to `scratch` after its first `length` bytes. Ensures space for one more character.
    private mutating func appendScratch(_ bytes: UnsafePointer<UInt8>, count: Int, at length: Int) -> Int {
        let needed = length + count + 4
        if needed > scratchCapacity {
            scratchCapacity = needed * 2
            scratch.enlarge(to: scratchCapacity, keeping: length)
        }
        (scratch + length).update(from: bytes, count: count)
        return length + count
    }

    private mutating func appendEscape(at length: Int) throws(JSONFailure) -> Int {
        guard end - cursor >= 2 else { throw failure(.unexpectedEnd, at: end) }
        let decoded: UInt8
        switch cursor[1] {
        case UInt8(ascii: "\""): decoded = 0x22
        case UInt8(ascii: "\\"): decoded = 0x5C
        case UInt8(ascii: "/"): decoded = 0x2F
        case UInt8(ascii: "b"): decoded = 0x08
        case UInt8(ascii: "f"): decoded = 0x0C
        case UInt8(ascii: "n"): decoded = 0x0A
        case UInt8(ascii: "r"): decoded = 0x0D
        case UInt8(ascii: "t"): decoded = 0x09
        case UInt8(ascii: "u"): return length + put(try unicodeEscape(), at: length)
        default: throw failure(.badEscape)
        }
        cursor += 2
        scratch[length] = decoded
        return length + 1
    }

    /// Parses `\uXXXX`, or two of them that form a surrogate pair.
    private mutating func unicodeEscape() throws(JSONFailure) -> UInt32 {
        let place = cursor
        let unit = try hexadecimalUnit()
        guard unit & 0xF800 == 0xD800 else { return unit }
        guard unit < 0xDC00, end - cursor >= 2, cursor[0] == UInt8(ascii: "\\"), cursor[1] == UInt8(ascii: "u") else {
            throw failure(.loneSurrogate, at: place)
        }
        let low = try hexadecimalUnit()
        guard low & 0xFC00 == 0xDC00 else { throw failure(.loneSurrogate, at: place) }
        return 0x10000 + ((unit & 0x3FF) << 10 | low & 0x3FF)
    }

    private mutating func hexadecimalUnit() throws(JSONFailure) -> UInt32 {
        guard end - cursor >= 6 else { throw failure(.unexpectedEnd, at: end) }
        var unit: UInt32 = 0
        for index in 2..<6 {
            let digit: UInt8
            switch cursor[index] {
            case let byte where byte >= 0x30 && byte <= 0x39: digit = byte - 0x30
            case let byte where byte >= 0x41 && byte <= 0x46: digit = byte - 0x41 + 10
            case let byte where byte >= 0x61 && byte <= 0x66: digit = byte - 0x61 + 10
            default: throw failure(.badEscape)
            }
            unit = unit << 4 | UInt32(digit)
        }
        cursor += 6
        return unit
    }

    /// Writes a character as UTF-8 and returns its number of bytes.
    private mutating func put(_ character: UInt32, at length: Int) -> Int {
        // The parts of surrogate pairs have been combined, so every number is a Unicode scalar.
        guard let scalar = Unicode.Scalar(character), let encoded = UTF8.encode(scalar) else { return 0 }
        var count = 0
        for byte in encoded {
            scratch[length + count] = byte
            count += 1
        }
        return count
    }
}
