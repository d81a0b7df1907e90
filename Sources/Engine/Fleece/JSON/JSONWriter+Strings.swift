extension JSONWriter {
    /// Appends a string with quotes and escapes (Storage format 9.2).
    public mutating func append(_ string: String) {
        var string = string
        string.withUTF8 { appendString(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a UTF-8 string with quotes and escapes. Invalid UTF-8 is replaced by U+FFFD, so that the text is valid JSON.
    @inline(__always)
    public mutating func appendString(utf8 string: UnsafeRawBufferPointer) {
        let length = string.count
        reserve(length &+ 2)
        let target = UnsafeMutableRawPointer(out + count)
        target.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
        guard let source = string.baseAddress, length > 0 else {
            target.storeBytes(of: UInt8(ascii: "\""), toByteOffset: 1, as: UInt8.self)
            count &+= 2
            return
        }
        guard Self.copyPlain(source, to: target + 1, count: length) else { return appendEscaped(string) }
        target.storeBytes(of: UInt8(ascii: "\""), toByteOffset: length &+ 1, as: UInt8.self)
        count &+= length &+ 2
    }

    /// Copies `count` bytes, as words that may overlap. Returns whether none of them is an escaped or non-ASCII character.
    @inline(__always)
    private static func copyPlain(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int) -> Bool {
        if count >= 8 {
            var marks: UInt64 = 0
            var index = 0
            while index &+ 8 <= count {
                let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                marks |= TextScan.writtenSpecials(word)
                target.storeBytes(of: word, toByteOffset: index, as: UInt64.self)
                index &+= 8
            }
            let word = source.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: count &- 8, as: UInt64.self)
            return marks | TextScan.writtenSpecials(word) == 0
        }
        if count >= 4 {
            let head = source.loadUnaligned(as: UInt32.self)
            let tail = source.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            target.storeBytes(of: head, as: UInt32.self)
            target.storeBytes(of: tail, toByteOffset: count &- 4, as: UInt32.self)
            return TextScan.writtenSpecials(UInt64(head) | UInt64(tail) &<< 32) == 0
        }
        // The rest of the word is filled with spaces, which need no escape.
        var word: UInt64 = 0x2020_2020_2020_2020
        for index in 0..<count {
            let byte = source.load(fromByteOffset: index, as: UInt8.self)
            target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
            word = word &<< 8 | UInt64(byte)
        }
        return TextScan.writtenSpecials(word) == 0
    }

    @inline(never)
    private mutating func appendEscaped(_ string: UnsafeRawBufferPointer) {
        append(byte: UInt8(ascii: "\""))
        guard var cursor = string.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        let end = cursor + string.count
        while cursor < end {
            // Space is reserved for each part, because reserving it for the longest escape of each byte would require six times the
            // string's size.
            let plainEnd = TextScan.skipPlain(cursor, end)
            var runEnd = cursor
            while runEnd < plainEnd, runEnd.pointee != 0x7F { runEnd += 1 }
            if runEnd > cursor {
                append(raw: UnsafeRawBufferPointer(start: cursor, count: runEnd - cursor))
                cursor = runEnd
                continue
            }
            let length = TextScan.characterLength(cursor, end)
            if length > 1 {
                append(raw: UnsafeRawBufferPointer(start: cursor, count: length))
            } else if length == 1 {
                appendEscape(cursor.pointee)
            } else {
                append(raw: "\u{FFFD}")
            }
            cursor += max(length, 1)
        }
        append(byte: UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case 0x22: append(raw: "\\\"")
        case 0x5C: append(raw: "\\\\")
        case 0x0A: append(raw: "\\n")
        case 0x0D: append(raw: "\\r")
        case 0x09: append(raw: "\\t")
        default:
            append(raw: "\\u00")
            append(byte: Self.hexadecimalDigit(byte >> 4))
            append(byte: Self.hexadecimalDigit(byte & 0x0F))
        }
    }

    private static func hexadecimalDigit(_ digit: UInt8) -> UInt8 {
        digit < 10 ? 0x30 + digit : 0x61 + digit - 10
    }

    /// Appends binary data as a Base64 string with the standard alphabet and padding.
    public mutating func append(data: UnsafeRawBufferPointer) {
        let length = (data.count + 2) / 3 * 4
        let digits = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" as StaticString).utf8Start
        reserve(length + 2)
        append(byte: UInt8(ascii: "\""))
        var index = 0
        while index < data.count {
            let left = data.count - index
            let bits =
                UInt32(data[index]) << 16 | (left > 1 ? UInt32(data[index + 1]) << 8 : 0)
                | (left > 2 ? UInt32(data[index + 2]) : 0)
            append(byte: digits[Int(bits >> 18)])
            append(byte: digits[Int(bits >> 12 & 0x3F)])
            append(byte: left > 1 ? digits[Int(bits >> 6 & 0x3F)] : UInt8(ascii: "="))
            append(byte: left > 2 ? digits[Int(bits & 0x3F)] : UInt8(ascii: "="))
            index += 3
        }
        append(byte: UInt8(ascii: "\""))
    }
}
