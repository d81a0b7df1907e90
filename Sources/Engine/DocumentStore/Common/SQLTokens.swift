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

    /// Returns `nil` if the text contains comments, byte order marks or an unterminated quotation, which statements of the format never
    /// contain.
    ///
    /// - Parameter skipsComments: Whether comments and byte order marks are skipped instead, as by SQLite.
    init?(_ sql: String, skipsComments: Bool = false) {
        let bytes = Array(sql.utf8)
        var tokens: [Token] = []
        var position = 0
        while position < bytes.count {
            if let end = Self.endOfComment(in: bytes, from: position) {
                guard skipsComments else { return nil }
                position = end
                continue
            }
            let byte = bytes[position]
            switch byte {
            // White space of SQLite: space, tab, line feed, vertical tab, form feed, carriage return.
            case UInt8(ascii: " "), 0x09...0x0D:
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
                tokens.append(.mark(byte))
                position += 1
            }
        }
        self.tokens = tokens
    }

    /// Returns the end of the comment or byte order mark that begins at a position, or `nil` if none begins there.
    private static func endOfComment(in bytes: [UInt8], from position: Int) -> Int? {
        let rest = bytes[position...]
        // SQLite skips the mark before any token. Inside of a name it is a part of the name.
        if rest.starts(with: "\u{FEFF}".utf8) { return position + 3 }
        if rest.starts(with: "--".utf8) {
            return rest.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        }
        guard rest.starts(with: "/*".utf8) else { return nil }
        var end = position + 2
        while end < bytes.count {
            if bytes[end...].starts(with: "*/".utf8) { return end + 2 }
            end += 1
        }
        return end
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
