/// The front end for the predicate strings of the developer previews (Query 9): `age > 18 AND name BEGINSWITH 'B'`.
///
/// The syntax is that of Foundation's `NSPredicate`, without its `%@` arguments. Each function returns the syntax tree of Query 9.4, or
/// throws a ``QueryError`` with the reason and the byte offset. A full-text match names its index by the property as written; the code that
/// compiles the tree looks up the index of that property (Query 8.3).
package enum PredicateString {
    /// The maximum nesting depth of parentheses, literals, calls and prefix operators; a call counts twice. Deeper text is an error, so
    /// that no input can exhaust the stack, even one of 512 KiB.
    package static let maximumNesting = 50

    /// Parses a condition on documents.
    package static func parse(_ text: String) throws(QueryError) -> QueryExpression {
        try whole(Array(text.utf8), aggregating: false) { parser throws(QueryError) in try parser.parseCondition() }
    }

    /// Parses a condition on groups, in which `sum`, `min`, `max`, `count` and `average` aggregate over the group.
    package static func parseGroupCondition(_ text: String) throws(QueryError) -> QueryExpression {
        try whole(Array(text.utf8), aggregating: true) { parser throws(QueryError) in try parser.parseCondition() }
    }

    /// Parses an expression that is a result column. Functions such as `sum` aggregate over the group.
    package static func parseResult(_ text: String) throws(QueryError) -> QueryExpression { try parseExpression(Array(text.utf8)) }

    /// Parses an expression by which rows are grouped. It may end with a collation, `name[c]`, as in a sort string.
    package static func parseGrouping(_ text: String) throws(QueryError) -> QueryExpression { try parseCollated(Array(text.utf8)) }

    /// Parses a sort string (Query 9.2): an expression, optionally preceded by `-` for descending order and followed by `[c]`, `[d]` or
    /// `[cd]` to ignore case, accents or both.
    package static func parseOrdering(_ text: String) throws(QueryError) -> OrderingTerm {
        var bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { !$0.isSpace }), bytes[first] == UInt8(ascii: "-") else {
            return OrderingTerm(try parseCollated(bytes))
        }
        // Replaced by a space to keep the offsets of errors.
        bytes[first] = UInt8(ascii: " ")
        return OrderingTerm(try parseCollated(bytes), isDescending: true)
    }

    private static func parseCollated(_ bytes: [UInt8]) throws(QueryError) -> QueryExpression {
        guard let end = bytes.lastIndex(where: { !$0.isSpace }), bytes[end] == UInt8(ascii: "]"),
            let bracket = bytes[..<end].lastIndex(of: UInt8(ascii: "["))
        else { return try parseExpression(bytes) }
        var options = CollationOptions(isUnicode: true)
        for mark in bytes[(bracket + 1)..<end] {
            switch mark | 0x20 {
            case UInt8(ascii: "c"): options.isCaseSensitive = false
            case UInt8(ascii: "d"): options.isDiacriticSensitive = false
            default: throw .predicate("only c and d are allowed in brackets at the end", at: bracket)
            }
        }
        return .collate(options, operand: try parseExpression(Array(bytes[..<bracket])))
    }

    private static func parseExpression(_ bytes: [UInt8]) throws(QueryError) -> QueryExpression {
        try whole(bytes, aggregating: true) { parser throws(QueryError) in try parser.parseExpression() }
    }

    private static func whole(
        _ bytes: [UInt8],
        aggregating: Bool,
        _ parse: (inout PredicateParser) throws(QueryError) -> QueryExpression
    ) throws(QueryError) -> QueryExpression {
        var parser = PredicateParser(bytes, aggregating: aggregating)
        let expression = try parse(&parser)
        guard parser.current == .end else { throw parser.unexpectedToken }
        return expression
    }
}

extension QueryError {
    /// Returns an error at a byte offset of predicate text.
    static func predicate(_ reason: String, at offset: Int) -> QueryError {
        QueryError(.invalidQuery, "predicate syntax error near character \(offset + 1): \(reason)", offset: offset)
    }
}
