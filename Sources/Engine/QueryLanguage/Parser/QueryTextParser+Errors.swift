extension QueryTextParser {
    /// The position of an error at the current token (Query 2.6). For an invalid token, it is that of the invalid byte, the furthest one
    /// reached.
    var errorOffset: Int {
        let token = tokens[index]
        return if case .invalid = token.kind { token.end } else { token.start }
    }

    /// Returns the error for a current token that is not what the grammar requires.
    ///
    /// - Parameters:
    ///   - expected: What the grammar requires.
    ///   - allowsName: Whether a name would be allowed, so that the token may be a name that is a reserved word.
    ///   - advice: The end of the message.
    func syntaxError(expecting expected: String, allowsName: Bool = false, advice: String = "") -> QueryError {
        let found = source(of: index)
        let reason =
            switch current {
            case .end: "expected \(expected), but the text ends"
            case .invalid: invalidTokenReason
            case .keyword where allowsName:
                "expected \(expected), but `\(found)` is reserved; write it in backticks if it is meant as a name"
            case .string: "expected \(expected), but found the string \(found)"
            case .name(_, isQuoted: true): "expected \(expected), but found \(found)"
            default: "expected \(expected), but found \"\(found)\""
            }
        return syntaxError(reason + advice, at: index)
    }

    /// The error for a current token after a complete query or expression. If the word before it is like a keyword, it was probably meant
    /// as one, and was read as an alias.
    var endError: QueryError {
        var advice = ""
        let clauses: [QueryKeyword] = [.from, .where, .group, .having, .order, .limit, .offset, .join, .unnest, .and, .or]
        if index > 0, case .name(let name, isQuoted: false) = tokens[index - 1].kind,
            let clause = name.uppercased().nearest(in: clauses.map(\.text))
        {
            advice = "; did you mean \(clause) instead of \"\(name)\"?"
        }
        return syntaxError(expecting: "an operator, another clause or the end", advice: advice)
    }

    /// Returns a syntax error at the current token (Query 2.6).
    ///
    /// - Parameter marked: The index of the token that the excerpt of the text marks.
    func syntaxError(_ reason: String, at marked: Int) -> QueryError {
        // The end of the text is marked where its last token ends: the rest is white space, possibly many lines.
        let isAtEnd = tokens[marked].kind == .end
        let place = isAtEnd ? (marked > 0 ? tokens[marked - 1].end : 0) : tokens[marked].start
        let excerpt = TextExcerpt(of: text, at: place)
        let line = excerpt.line > 1 ? " (line \(excerpt.line), column \(excerpt.column))" : ""
        return QueryError(
            .invalidQuery,
            "SQL++ syntax error near character \(errorOffset + 1)",
            hint: "\(line): \(reason)",
            excerpt: excerpt.text,
            offset: errorOffset
        )
    }

    /// Why the current token is invalid.
    private var invalidTokenReason: String {
        let found = source(of: index)
        return switch found.first {
        case "'", "\"": "the string is not closed"
        case "`" where found.hasPrefix("``"): "a name in backticks is empty"
        case "`": "the name is not closed by a backtick"
        case "/": "the comment is not closed by */"
        case "$": "the name of a parameter must follow the dollar sign"
        case let first? where first == "." || first.isNumber: "the number is malformed"
        case let first?: "the character \"\(first)\" is not part of the language"
        case nil: "the text ends"
        }
    }

    /// Returns the text of a token from its first byte, shortened if it is long.
    private func source(of index: Int) -> String {
        let token = tokens[index]
        // The end of an invalid token may be before its first byte has been read.
        let end = if case .invalid = token.kind { text.utf8.count } else { token.end }
        let bytes = text.utf8.dropFirst(token.start).prefix(min(end - token.start, 200))
        let whole = String(decoding: bytes, as: UTF8.self)
        return whole.count > 30 ? whole.prefix(30) + "…" : whole
    }
}
