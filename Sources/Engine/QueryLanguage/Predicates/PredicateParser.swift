/// A recursive-descent parser for predicate text (Query 9.3).
///
/// Parentheses can contain a condition or an expression, which is known only at their end; therefore it returns a ``Part``. This file
/// contains the handling of tokens; the grammar is in the extensions.
struct PredicateParser: TokenParser {
    /// A parse result. NSPredicate's language separates conditions from values.
    enum Part {
        case condition(QueryExpression)
        case value(QueryExpression)
    }

    private let text: [UInt8]
    let tokens: [Token<PredicateKeyword>]
    var index = 0

    /// Whether functions such as `sum` aggregate the rows of a group; otherwise they aggregate the elements of an array.
    let isAggregating: Bool

    /// The variables of the enclosing quantifiers.
    var variables: [String] = []

    static let maximumNesting = PredicateString.maximumNesting
    static let maximumWrapping = 100
    var nesting = 0
    var wrappings = 0

    init(_ text: [UInt8], aggregating: Bool) {
        self.text = text
        tokens = PredicateLexer.tokens(of: text)
        isAggregating = aggregating
    }

    /// The byte offset of the current token.
    var offset: Int { tokens[index].start }

    /// The text of the current token.
    var currentText: String { String(decoding: text[tokens[index].start..<tokens[index].end], as: UTF8.self) }

    var nestingError: QueryError { QueryError(.invalidQuery, "the predicate is nested too deeply", offset: offset) }

    // MARK: Errors

    /// Returns an error at the current token. If that token is invalid, the error has the reason for that.
    func unexpected(_ reason: String) -> QueryError {
        if case .invalid(let why?) = current { return .predicate(why, at: offset) }
        return .predicate(reason, at: offset)
    }

    func missing(_ symbol: Symbol) -> QueryError { unexpected("'\(symbol.rawValue)' is missing") }

    /// The error for a current token that is not allowed at its position.
    var unexpectedToken: QueryError {
        switch current {
        case .end: unexpected("the text ends too early")
        case .keyword: unexpected("'\(currentText)' was not expected")
        case .name(let name, _): unexpected("'\(name)' was not expected")
        case .symbol(let symbol): unexpected("'\(symbol.rawValue)' was not expected")
        case .parameter(let name): unexpected("'$\(name)' was not expected")
        case .string, .integer, .double: unexpected("a value was not expected")
        case .invalid: unexpected("")
        }
    }
}
