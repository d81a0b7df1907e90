// Scans UTF-8 eight bytes at a time. Callers must pass valid bounds; nothing outside of them is read.

/// Classifies bytes of JSON strings and UTF-8, eight at once.
enum TextScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Marks the high bit of each byte of `word` that cannot be copied unchanged when JSON is parsed: quote, backslash, control character,
    /// or not ASCII. Only the lowest mark is exact, because a borrow may affect the bytes above it.
    @inline(__always)
    static func specials(_ word: UInt64) -> UInt64 {
        let quotes = (word ^ (ones &* 0x22)) &- ones
        let backslashes = (word ^ (ones &* 0x5C)) &- ones
        let controls = word &- (ones &* 0x20)
        return (quotes | backslashes | controls | word) & highBits
    }

    /// Like `specials`, and also marks U+007F, which is escaped when JSON is written (Storage format 9.2).
    @inline(__always)
    static func writtenSpecials(_ word: UInt64) -> UInt64 {
        specials(word) | (((word ^ (ones &* 0x7F)) &- ones) & highBits)
    }

    /// Skips bytes that need no conversion in JSON strings. Returns the position of the first other byte, or `end`.
    @inline(__always)
    static func skipPlain(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var cursor = start
        while end - cursor >= 8 {
            let marks = specials(UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self).littleEndian)
            if marks != 0 { return cursor + marks.trailingZeroBitCount &>> 3 }
            cursor += 8
        }
        while cursor < end, cursor.pointee >= 0x20, cursor.pointee < 0x80, cursor.pointee != 0x22, cursor.pointee != 0x5C {
            cursor += 1
        }
        return cursor
    }

    /// Returns the length of the character at `start` in bytes, 1 to 4. Returns zero if it is not valid UTF-8 (RFC 3629, section 4).
    @inline(__always)
    static func characterLength(_ start: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Int {
        let lead = start[0]
        let available = end - start
        switch lead {
        case 0x00...0x7F:
            return 1
        case 0xC2...0xDF:
            return available >= 2 && isContinuation(start[1]) ? 2 : 0
        case 0xE0...0xEF:
            guard available >= 3, isContinuation(start[1]), isContinuation(start[2]) else { return 0 }
            if lead == 0xE0, start[1] < 0xA0 { return 0 }
            if lead == 0xED, start[1] > 0x9F { return 0 }
            return 3
        case 0xF0...0xF4:
            guard available >= 4, isContinuation(start[1]), isContinuation(start[2]), isContinuation(start[3]) else { return 0 }
            if lead == 0xF0, start[1] < 0x90 { return 0 }
            if lead == 0xF4, start[1] > 0x8F { return 0 }
            return 4
        default:
            return 0
        }
    }

    @inline(__always)
    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// Returns whether `bytes` are valid UTF-8.
    static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard var cursor = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        let end = cursor + bytes.count
        while cursor < end {
            if end - cursor >= 8, UnsafeRawPointer(cursor).loadUnaligned(as: UInt64.self) & highBits == 0 {
                cursor += 8
                continue
            }
            let length = characterLength(cursor, end)
            if length == 0 { return false }
            cursor += length
        }
        return true
    }
}
