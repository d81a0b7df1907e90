/// Splits SQL++ text into tokens (Query 2.1).
enum QueryLexer {
    /// The symbols that only predicates have.
    private static let excluded: [Symbol] = [.equalOrLess, .equalOrGreater, .doubleAmpersand, .exclamation, .doubleStar, .at]

    static func tokens(of text: String) -> [Token<QueryKeyword>] { TextScanner.tokens(of: Array(text.utf8), after: skipSpace, scan) }

    /// Skips white space and comments: from `--` to the end of the line, and from `/*` to `*/`. One that is not closed is an invalid token.
    private static func skipSpace(_ scanner: inout TextScanner) {
        while true {
            scanner.skip { " \t\r\n".utf8.contains($0) }
            switch (scanner.peek(), scanner.peek(1)) {
            case (UInt8(ascii: "-"), UInt8(ascii: "-")):
                scanner.skip { !"\r\n".utf8.contains($0) }
            case (UInt8(ascii: "/"), UInt8(ascii: "*")):
                var length = 2
                while scanner.peek(length) != UInt8(ascii: "*") || scanner.peek(length + 1) != UInt8(ascii: "/") {
                    guard scanner.peek(length) != nil else { return }
                    length += 1
                }
                scanner.advance(by: length + 2)
            default:
                return
            }
        }
    }

    private static func scan(_ scanner: inout TextScanner) -> Token<QueryKeyword>.Kind {
        guard let byte = scanner.peek() else { return .end }
        switch byte {
        case _ where byte.isLetter:
            let text = scanner.text(while: \.continuesIdentifier)
            return QueryKeyword(word: text).map { .keyword($0) } ?? .name(text, isQuoted: false)
        case _ where byte.isDigit, UInt8(ascii: ".") where scanner.peek(1)?.isDigit == true:
            return number(&scanner)
        case UInt8(ascii: "`"):
            guard let name = quoted(by: byte, &scanner), !name.isEmpty else { return .invalid(nil) }
            return .name(name, isQuoted: true)
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return quoted(by: byte, &scanner).map { .string($0) } ?? .invalid(nil)
        case UInt8(ascii: "/") where scanner.peek(1) == UInt8(ascii: "*"):
            scanner.skip { _ in true }
            return .invalid(nil)
        case UInt8(ascii: "$"):
            scanner.advance()
            guard scanner.peek()?.isLetter == true else { return .invalid(nil) }
            return .parameter(scanner.text(while: \.continuesIdentifier))
        default:
            return scanner.symbol(except: excluded).map { .symbol($0) } ?? .invalid(nil)
        }
    }

    private static func number(_ scanner: inout TextScanner) -> Token<QueryKeyword>.Kind {
        guard let text = scanner.number(allowingFinalPoint: true) else { return .invalid(nil) }
        if let byte = scanner.peek(), byte.isLetter || byte.isDigit { return .invalid(nil) }
        guard text.utf8.allSatisfy(\.isDigit) else { return .double(TextScanner.double(text)) }
        return UInt64(text).map { .integer($0) } ?? .double(TextScanner.double(text))
    }

    /// Reads the text between two `quote` bytes, the first of which is the next byte. A doubled one inside is a literal quote. Returns
    /// `nil` if the closing one is missing.
    private static func quoted(by quote: UInt8, _ scanner: inout TextScanner) -> String? {
        var content: [UInt8] = []
        scanner.advance()
        while let byte = scanner.peek() {
            scanner.advance()
            if byte == quote {
                guard scanner.peek() == quote else { return String(decoding: content, as: UTF8.self) }
                scanner.advance()
            }
            content.append(byte)
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var continuesIdentifier: Bool { isLetter || isDigit || self == UInt8(ascii: "$") }
}

/// The reserved words, which are names only between backticks (Query 2.1).
package enum QueryKeyword: String, LanguageKeyword, CaseIterable {
    /// The words from AND to IN. Case is ignored in a query, and the raw values are in lower case.
    case and, any, `as`, asc, between, by, `case`, collate, cross, desc, distinct, `else`, end, every, `false`, from, group, having, `in`
    /// The words from INNER to THEN.
    case inner, `is`, join, left, like, limit, missing, natural, not, null, offset, on, or, order, outer, right, satisfies, select, then
    /// The words from TRUE to WHERE.
    case `true`, unnest, using, valued, when, `where`
}
