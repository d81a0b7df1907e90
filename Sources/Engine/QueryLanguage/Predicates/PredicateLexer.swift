/// Splits predicate text into tokens (Query 9.3).
enum PredicateLexer {
    /// The symbols that only SQL++ has. The percent sign has its own message.
    private static let excluded: [Symbol] = [.shiftLeft, .shiftRight, .ampersand, .bar, .percent, .colon, .semicolon]

    /// Returns the tokens of UTF-8 text. An integer token is at most 2⁶³, which is an integer only with a minus sign, otherwise a double.
    static func tokens(of text: [UInt8]) -> [Token<PredicateKeyword>] {
        TextScanner.tokens(of: text, after: { $0.skip(while: \.isSpace) }, scan)
    }

    private static func scan(_ scanner: inout TextScanner) -> Token<PredicateKeyword>.Kind {
        guard let byte = scanner.peek() else { return .end }
        switch byte {
        case _ where byte.isDigit, UInt8(ascii: ".") where scanner.peek(1)?.isDigit == true:
            return number(&scanner) ?? .invalid("malformed number")
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return string(quotedBy: byte, &scanner)
        case UInt8(ascii: "$"):
            scanner.advance()
            guard let name = Self.name(&scanner) else { return .invalid("the name of a parameter must follow '$'") }
            return .parameter(name)
        case UInt8(ascii: "#"), UInt8(ascii: "\\"):
            scanner.advance()
            guard let name = Self.name(&scanner) else { return .invalid("a name must follow '\(Character(Unicode.Scalar(byte)))'") }
            return .name(name, isQuoted: true)
        case UInt8(ascii: "%"):
            // %@ and %K, or %d and the like.
            let isArgument = scanner.peek(1).map { $0 == UInt8(ascii: "@") || $0.beginsName } ?? false
            return .invalid(
                isArgument
                    ? "% is not supported: write a parameter such as $name in place of %@"
                    : "% is not supported: write modulus:by:(a, b) in place of a % b"
            )
        case _ where byte.beginsName:
            return word(&scanner)
        default:
            return scanner.symbol(except: excluded).map { .symbol($0) } ?? .invalid("unexpected character")
        }
    }

    /// Reads a keyword or a name. Names of functions can contain colons, as in `modulus:by:`; the grammar has no other use for colons.
    private static func word(_ scanner: inout TextScanner) -> Token<PredicateKeyword>.Kind {
        let start = scanner.position
        let name = scanner.text(while: \.continuesName)
        guard scanner.peek() == UInt8(ascii: ":") else {
            return PredicateKeyword(word: name).map { .keyword($0) } ?? .name(name, isQuoted: false)
        }
        scanner.skip { $0 == UInt8(ascii: ":") || $0.continuesName }
        return .name(scanner.text(from: start), isQuoted: false)
    }

    private static func name(_ scanner: inout TextScanner) -> String? {
        guard scanner.peek()?.beginsName == true else { return nil }
        return scanner.text(while: \.continuesName)
    }

    /// Reads a number; returns `nil` if it is malformed.
    private static func number(_ scanner: inout TextScanner) -> Token<PredicateKeyword>.Kind? {
        let kind: Token<PredicateKeyword>.Kind
        if scanner.peek() == UInt8(ascii: "0"), let mark = scanner.peek(1), mark | 0x20 == UInt8(ascii: "x") {
            scanner.advance(by: 2)
            guard let number = Int64(scanner.text(while: \.isHexDigit), radix: 16) else { return nil }
            kind = .integer(number.magnitude)
        } else {
            guard let text = scanner.number(allowingFinalPoint: false) else { return nil }
            if let integer = UInt64(text), integer <= Int64.min.magnitude {
                kind = .integer(integer)
            } else {
                let number = TextScanner.double(text)
                guard number.isFinite else { return nil }
                kind = .double(number)
            }
        }
        return scanner.peek()?.continuesName == true ? nil : kind
    }

    private static func string(quotedBy quote: UInt8, _ scanner: inout TextScanner) -> Token<PredicateKeyword>.Kind {
        var content: [UInt8] = []
        scanner.advance()
        while let byte = scanner.peek() {
            scanner.advance()
            if byte == quote { return .string(String(decoding: content, as: UTF8.self)) }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            switch scanner.peek() {
            case UInt8(ascii: "n"): content.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): content.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): content.append(UInt8(ascii: "\t"))
            case let escaped? where "\\'\"".utf8.contains(escaped): content.append(escaped)
            // Dropping the backslash would silently change patterns.
            default: return .invalid("a backslash in a string must be written as \\\\")
            }
            scanner.advance()
        }
        return .invalid("the string is not terminated")
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool { isDigit || (0x61...0x66).contains(self | 0x20) }

    /// Whether the byte can start a name: letters, underscores and all non-ASCII bytes, because property names can be in any language.
    fileprivate var beginsName: Bool { isLetter || self >= 0x80 }

    fileprivate var continuesName: Bool { beginsName || isDigit }
}

/// The keywords, which are case-insensitive (Query 9.3).
enum PredicateKeyword: String, LanguageKeyword {
    case all, and, any, beginswith, between, cast, contains, endswith, `false`, falsepredicate, first, function, `in`, last, like, matches
    case `nil`, no, none, not, null, or, `self`, size, some, subquery, ternary, `true`, truepredicate, yes

    /// Whether the word is a name wherever the grammar does not require this keyword.
    var mayBeName: Bool {
        switch self {
        case .cast, .first, .function, .last, .size, .subquery, .ternary: true
        default: false
        }
    }
}
