/// Splits predicate text into tokens (Query 9.3).
///
/// Invalid text yields one ``PredicateToken/Kind/invalid(_:)`` token and nothing after it. The parser reports it only if it reaches that
/// token.
struct PredicateLexer {
    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the tokens of UTF-8 text. The last one is ``PredicateToken/Kind/end`` or ``PredicateToken/Kind/invalid(_:)``, so there is
    /// always at least one.
    static func tokens(of text: [UInt8]) -> [PredicateToken] {
        var lexer = PredicateLexer(text)
        var tokens: [PredicateToken] = []
        while true {
            lexer.skipWhitespace()
            let start = lexer.position
            let kind = lexer.scan()
            tokens.append(PredicateToken(kind: kind, start: start, end: lexer.position))
            switch kind {
            case .end, .invalid: return tokens
            default: break
            }
        }
    }

    private mutating func scan() -> PredicateToken.Kind {
        guard let byte = peek() else { return .end }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return number()
        case UInt8(ascii: "."):
            if let next = peek(1), next.isDigit { return number() }
            return symbol()
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return string(quotedBy: byte)
        case UInt8(ascii: "$"):
            position += 1
            guard let name = name() else { return .invalid("the name of a parameter must follow '$'") }
            return .parameter(name)
        case UInt8(ascii: "#"), UInt8(ascii: "\\"):
            position += 1
            guard let name = name() else { return .invalid("a name must follow '\(Character(Unicode.Scalar(byte)))'") }
            return .name(name)
        case UInt8(ascii: "%"):
            // %@ and %K, or %d and the like.
            let isArgument = peek(1).map { $0 == UInt8(ascii: "@") || $0.beginsName } ?? false
            return .invalid(
                isArgument
                    ? "% is not supported: write a parameter such as $name in place of %@"
                    : "% is not supported: write modulus:by:(a, b) in place of a % b"
            )
        default:
            return byte.beginsName ? word() : symbol()
        }
    }

    // MARK: Names

    private mutating func word() -> PredicateToken.Kind {
        guard let name = name() else { return .invalid("a name was expected") }
        // Names of functions can contain colons. The grammar has no other use for colons.
        guard peek() == UInt8(ascii: ":") else {
            let keyword = PredicateKeyword(rawValue: name.uppercased())
            return keyword.map { .keyword($0, text: name) } ?? .name(name)
        }
        let start = position
        while let byte = peek(), byte == UInt8(ascii: ":") || byte.continuesName { position += 1 }
        return .name(name + String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func name() -> String? {
        guard let first = peek(), first.beginsName else { return nil }
        let start = position
        while let byte = peek(), byte.continuesName { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    // MARK: Literals

    private mutating func number() -> PredicateToken.Kind {
        let start = position
        if peek() == UInt8(ascii: "0"), let mark = peek(1), mark | 0x20 == UInt8(ascii: "x") {
            position += 2
            skip { $0.isHexDigit }
            guard let number = Int64(text(from: start + 2), radix: 16) else { return malformedNumber }
            return endsNumber ? .integer(number.magnitude) : malformedNumber
        }
        skip { $0.isDigit }
        if peek() == UInt8(ascii: "."), let digit = peek(1), digit.isDigit {
            position += 1
            skip { $0.isDigit }
        }
        if let mark = peek(), mark | 0x20 == UInt8(ascii: "e") {
            position += 1
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            guard let digit = peek(), digit.isDigit else { return malformedNumber }
            skip { $0.isDigit }
        }
        guard endsNumber else { return malformedNumber }
        let digits = text(from: start)
        if let integer = UInt64(digits), integer <= Int64.min.magnitude { return .integer(integer) }
        guard let number = Double(digits.hasPrefix(".") ? "0" + digits : digits), number.isFinite else { return malformedNumber }
        return .double(number)
    }

    /// Whether a number may end here.
    private var endsNumber: Bool { !(peek()?.continuesName ?? false) }

    private var malformedNumber: PredicateToken.Kind { .invalid("malformed number") }

    private mutating func string(quotedBy quote: UInt8) -> PredicateToken.Kind {
        var content: [UInt8] = []
        position += 1
        while let byte = peek() {
            position += 1
            if byte == quote { return .string(String(decoding: content, as: UTF8.self)) }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            switch peek() {
            case UInt8(ascii: "n"): content.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): content.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): content.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""): content.append(bytes[position])
            // Dropping the backslash would silently change patterns.
            default: return .invalid("a backslash in a string must be written as \\\\")
            }
            position += 1
        }
        return .invalid("the string is not terminated")
    }

    // MARK: Symbols

    private mutating func symbol() -> PredicateToken.Kind {
        for length in [2, 1] where position + length <= bytes.count {
            let text = String(decoding: bytes[position..<(position + length)], as: UTF8.self)
            if let symbol = PredicateSymbol(rawValue: text) {
                position += length
                return .symbol(symbol)
            }
        }
        return .invalid("unexpected character")
    }

    // MARK: Bytes

    private mutating func skipWhitespace() {
        skip { $0.isSpace }
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte = peek(), condition(byte) { position += 1 }
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private func text(from start: Int) -> String {
        String(decoding: bytes[start..<position], as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    fileprivate var isHexDigit: Bool { isDigit || (0x61...0x66).contains(self | 0x20) }

    /// Whether the byte can start a name: letters, underscores and all non-ASCII bytes, because property names can be in any language.
    fileprivate var beginsName: Bool { (0x61...0x7A).contains(self | 0x20) || self == 0x5F || self >= 0x80 }

    fileprivate var continuesName: Bool { beginsName || isDigit }
}
