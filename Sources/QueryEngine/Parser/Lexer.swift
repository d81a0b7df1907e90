/// Splits SQL++ text into tokens (Query 2.1).
///
/// Invalid text yields one ``Token/Kind/invalid`` token and nothing after it. The parser reports it only if it reaches that token, so a
/// syntax error before it is reported first.
struct Lexer {
    private let bytes: [UInt8]
    private var position = 0

    private init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Returns the tokens of `text`. The last one is ``Token/Kind/end`` or ``Token/Kind/invalid``, so there is always at least one.
    static func tokens(of text: String) -> [Token] {
        var lexer = Lexer(text)
        var tokens: [Token] = []
        while true {
            let token = lexer.next()
            tokens.append(token)
            if token.kind == .end || token.kind == .invalid { return tokens }
        }
    }

    private mutating func next() -> Token {
        skipWhitespace()
        let start = position
        let kind = scan()
        // An invalid token starts where the scanner stopped, which is the furthest byte reached.
        return Token(kind: kind, start: kind == .invalid ? position : start, end: position)
    }

    private mutating func scan() -> Token.Kind {
        guard let byte = peek() else { return .end }
        switch byte {
        case "a"..."z", "A"..."Z", "_":
            return word()
        case "0"..."9":
            return number()
        case ".":
            if let next = peek(1), next.isDigit { return number() }
            return symbol()
        case "`":
            guard let name = quoted(by: byte), !name.isEmpty else { return .invalid }
            return .identifier(name, isQuoted: true)
        case "'", "\"":
            guard let text = quoted(by: byte) else { return .invalid }
            return .string(text)
        case "$":
            position += 1
            guard let first = peek(), first.beginsIdentifier else { return .invalid }
            return .parameter(identifierText())
        default:
            return symbol()
        }
    }

    private mutating func word() -> Token.Kind {
        let text = identifierText()
        return if let keyword = Keyword(rawValue: text.uppercased()) {
            .keyword(keyword)
        } else {
            .identifier(text, isQuoted: false)
        }
    }

    private mutating func identifierText() -> String {
        let start = position
        while let byte = peek(), byte.continuesIdentifier { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func number() -> Token.Kind {
        let start = position
        var isInteger = true
        skipDigits()
        if peek() == "." {
            isInteger = false
            position += 1
            skipDigits()
        }
        if let byte = peek(), byte == "e" || byte == "E" {
            isInteger = false
            position += 1
            if let sign = peek(), sign == "+" || sign == "-" { position += 1 }
            guard let digit = peek(), digit.isDigit else { return .invalid }
            skipDigits()
        }
        if let byte = peek(), byte.continuesIdentifier, byte != UInt8(ascii: "$") { return .invalid }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        return isInteger ? .integer(text) : .decimal(text)
    }

    /// Reads the text between two `quote` bytes, the first of which is the next byte. A doubled one inside is a literal quote. Returns
    /// `nil` if the closing one is missing.
    private mutating func quoted(by quote: UInt8) -> String? {
        var content: [UInt8] = []
        position += 1
        while let byte = peek() {
            position += 1
            if byte == quote {
                guard peek() == quote else { return String(decoding: content, as: UTF8.self) }
                position += 1
            }
            content.append(byte)
        }
        return nil
    }

    private mutating func symbol() -> Token.Kind {
        for length in [2, 1] where position + length <= bytes.count {
            let text = String(decoding: bytes[position..<(position + length)], as: UTF8.self)
            if let symbol = Symbol(rawValue: text) {
                position += length
                return .symbol(symbol)
            }
        }
        return .invalid
    }

    private mutating func skipWhitespace() {
        while let byte = peek(), byte == " " || byte == "\t" || byte == "\r" || byte == "\n" { position += 1 }
    }

    private mutating func skipDigits() {
        while let byte = peek(), byte.isDigit { position += 1 }
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self >= 0x30 && self <= 0x39 }
    fileprivate var beginsIdentifier: Bool {
        let letter = self | 0x20
        return (letter >= 0x61 && letter <= 0x7A) || self == 0x5F
    }
    fileprivate var continuesIdentifier: Bool { beginsIdentifier || isDigit || self == 0x24 }
}

/// Lets bytes be compared with ASCII characters in this file.
private func == (byte: UInt8?, scalar: Unicode.Scalar) -> Bool {
    byte == UInt8(ascii: scalar)
}

private func ~= (scalar: Unicode.Scalar, byte: UInt8) -> Bool {
    byte == UInt8(ascii: scalar)
}

private func ~= (range: ClosedRange<Unicode.Scalar>, byte: UInt8) -> Bool {
    range.contains(Unicode.Scalar(byte))
}
