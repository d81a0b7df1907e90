/// Splits the text of an SQL statement into tokens, as far as necessary to recognize the statements of the format.
struct SQLTokens: Equatable {
    enum Token: Equatable {
        /// A keyword, a name or a number, as written.
        case word(String)
        /// A quoted name, without its quotation marks.
        case quoted(String)
        /// A string literal.
        case text
        /// Any other character.
        case mark(UInt8)
    }

    let tokens: [Token]

    /// Returns `nil` if the text contains comments or an unterminated quotation, which statements of the format never contain.
    init?(_ sql: String) {
        let bytes = Array(sql.utf8)
        var tokens: [Token] = []
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                position += 1
            case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["), UInt8(ascii: "'"):
                let end = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
                guard let content = Self.quotation(in: bytes, from: &position, to: end) else { return nil }
                tokens.append(byte == UInt8(ascii: "'") ? .text : .quoted(content))
            case _ where Self.isPartOfWord(byte):
                let start = position
                while position < bytes.count, Self.isPartOfWord(bytes[position]) { position += 1 }
                tokens.append(.word(String(decoding: bytes[start..<position], as: UTF8.self)))
            default:
                let next = position + 1 < bytes.count ? bytes[position + 1] : 0
                if byte == UInt8(ascii: "-"), next == byte { return nil }
                if byte == UInt8(ascii: "/"), next == UInt8(ascii: "*") { return nil }
                tokens.append(.mark(byte))
                position += 1
            }
        }
        self.tokens = tokens
    }

    /// Returns the text between quotation marks. A doubled quotation mark represents a single one.
    private static func quotation(in bytes: [UInt8], from position: inout Int, to end: UInt8) -> String? {
        var content: [UInt8] = []
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte != end {
                content.append(byte)
            } else if end != UInt8(ascii: "]"), position < bytes.count, bytes[position] == end {
                content.append(byte)
                position += 1
            } else {
                return String(decoding: content, as: UTF8.self)
            }
        }
        return nil
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
