/// A recursive-descent parser over the tokens of predicate text (Query 9.3).
///
/// It never goes back. What stands in parentheses may be a condition or an expression, which shows only at its end; that is
/// what ``Part`` is for. This file has the means to look at tokens; the grammar is in the extensions.
struct PredicateParser {
    /// What was parsed: NSPredicate's language keeps conditions and values apart.
    enum Part {
        case condition(QueryExpression)
        case value(QueryExpression)
    }

    private let tokens: [PredicateToken]
    private var index = 0

    /// Whether functions such as `sum` reckon over the rows of a group; else over the elements of an array.
    let isAggregating: Bool

    /// The variables of the quantifiers around the current place.
    var variables: [String] = []

    /// How many operands and parentheses are being parsed, one inside the other.
    private var nesting = 0

    /// How many left operands were wrapped once more by an operator of the same chain. Such chains lean to the left without any
    /// recursion of the parser, so they are counted by themselves.
    private var wrappings = 0

    init(_ text: [UInt8], aggregating: Bool) {
        tokens = PredicateLexer.tokens(of: text)
        isAggregating = aggregating
    }

    var current: PredicateToken.Kind { tokens[index].kind }

    /// The token after the current one. Behind the last one there are only ends.
    var following: PredicateToken.Kind { index + 1 < tokens.count ? tokens[index + 1].kind : .end }

    /// The offset of the current token.
    var offset: Int { tokens[index].start }

    mutating func advance() {
        if index + 1 < tokens.count { index += 1 }
    }

    // MARK: Trying

    func isAt(_ symbol: PredicateSymbol) -> Bool { current == .symbol(symbol) }

    func isAt(_ keyword: PredicateKeyword) -> Bool {
        if case .keyword(keyword, _) = current { true } else { false }
    }

    /// Goes past the symbol if it is next, and says whether it was.
    mutating func skip(_ symbol: PredicateSymbol) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    mutating func skip(_ keyword: PredicateKeyword) -> Bool {
        guard isAt(keyword) else { return false }
        advance()
        return true
    }

    // MARK: Demanding

    mutating func expect(_ symbol: PredicateSymbol) throws(QueryError) {
        guard skip(symbol) else { throw unexpected("'\(symbol.rawValue)' is missing") }
    }

    /// Items with commas between them, perhaps none, up to and with the closing symbol.
    mutating func parseValues(until closing: PredicateSymbol) throws(QueryError) -> [QueryExpression] {
        var items: [QueryExpression] = []
        guard !skip(closing) else { return items }
        repeat { items.append(try parseExpression()) } while skip(.comma)
        try expect(closing)
        return items
    }

    // MARK: Limits

    /// Notes that something begins that may contain itself, and refuses when that goes too deep.
    mutating func enter() throws(QueryError) {
        nesting += 1
        guard nesting <= PredicateString.maximumNesting else { throw tooDeep }
    }

    /// Notes the end of what ``enter()`` was called for.
    mutating func leave(_ count: Int = 1) {
        nesting -= count
    }

    /// Notes that an operator wraps the operation to its left.
    mutating func countWrapping() throws(QueryError) {
        wrappings += 1
        guard wrappings <= PredicateString.maximumWrapping else { throw tooDeep }
    }

    private var tooDeep: QueryError {
        QueryError(.invalidQuery, "the predicate is nested too deeply", offset: offset)
    }

    // MARK: Errors

    /// An error at the current token; if that is no token at all, the reason is why.
    func unexpected(_ reason: String) -> QueryError {
        if case .invalid(let why) = current { return .predicate(why, at: offset) }
        return .predicate(reason, at: offset)
    }

    /// The error that the current token makes no sense where it is.
    var unexpectedToken: QueryError {
        switch current {
        case .end: unexpected("the text ends too early")
        case .keyword(_, let text), .name(let text): unexpected("'\(text)' was not expected")
        case .symbol(let symbol): unexpected("'\(symbol.rawValue)' was not expected")
        case .parameter(let name): unexpected("'$\(name)' was not expected")
        case .string, .integer, .double: unexpected("a value was not expected")
        case .invalid: unexpected("")
        }
    }
}
