/// Reads UTF-8 text from left to right.
struct TextScanner {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func peek(_ distance: Int = 0) -> UInt8? { position + distance < bytes.count ? bytes[position + distance] : nil }

    mutating func advance(by count: Int = 1) { position += count }

    mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte = peek(), condition(byte) { position += 1 }
    }

    /// Returns the text from an offset up to the current position.
    func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    /// Reads the text up to the first byte that does not meet the condition.
    mutating func text(while condition: (UInt8) -> Bool) -> String {
        let start = position
        skip(while: condition)
        return text(from: start)
    }

    /// Reads the longest symbol at the current position, without those in `excluded`. Returns `nil` if there is none.
    mutating func symbol(except excluded: [Symbol]) -> Symbol? {
        for length in [2, 1] where position + length <= bytes.count {
            let text = String(decoding: bytes[position..<(position + length)], as: UTF8.self)
            guard let symbol = Symbol(rawValue: text), !excluded.contains(symbol) else { continue }
            position += length
            return symbol
        }
        return nil
    }

    /// Reads the digits, the fraction and the exponent of a number. Returns `nil` if the exponent has no digits; the position is then after
    /// its `e` and sign.
    ///
    /// - Parameter allowingFinalPoint: Whether a point that no digit follows is part of the number.
    mutating func number(allowingFinalPoint: Bool) -> String? {
        let start = position
        skip(while: \.isDigit)
        if peek() == UInt8(ascii: "."), allowingFinalPoint || peek(1)?.isDigit == true {
            position += 1
            skip(while: \.isDigit)
        }
        if let mark = peek(), mark | 0x20 == UInt8(ascii: "e") {
            position += 1
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            guard peek()?.isDigit == true else { return nil }
            skip(while: \.isDigit)
        }
        return text(from: start)
    }

    /// Returns the value of a number that ``number(allowingFinalPoint:)`` has read; infinity if it is too large.
    static func double(_ number: String) -> Double {
        // Swift parses neither ".5" nor "12.", but the languages allow them.
        var digits = number.first == "." ? "0" + number : number
        if let point = digits.firstIndex(of: ".") {
            let next = digits.index(after: point)
            if next == digits.endIndex || !digits[next].isNumber { digits.insert("0", at: next) }
        }
        return Double(digits) ?? .infinity
    }
}

extension TextScanner {
    /// Reads all tokens with `scan`, which reads one token, after `skipSpace`, which skips what separates tokens. The last one is ``Token/Kind/end`` or
    /// ``Token/Kind/invalid(_:)``, so there is always at least one. The parser reports an invalid token only if it reaches it, so a syntax
    /// error before it is reported first.
    static func tokens<Keyword>(
        of text: [UInt8],
        after skipSpace: (inout TextScanner) -> Void,
        _ scan: (inout TextScanner) -> Token<Keyword>.Kind
    ) -> [Token<Keyword>] {
        var scanner = TextScanner(text)
        var tokens: [Token<Keyword>] = []
        while true {
            skipSpace(&scanner)
            let start = scanner.position
            let kind = scan(&scanner)
            tokens.append(Token(kind: kind, start: start, end: scanner.position))
            switch kind {
            case .end, .invalid: return tokens
            default: break
            }
        }
    }
}

// Public so that the compiler inlines them in the functions that run for each row.
extension UInt8 {
    /// Whether the byte is ASCII white space.
    @inlinable public var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether the byte is an ASCII digit.
    @inlinable public var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// Whether the byte is an ASCII letter or an underscore.
    @inlinable public var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) || self == 0x5F }
}
