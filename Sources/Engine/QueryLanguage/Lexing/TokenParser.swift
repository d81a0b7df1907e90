/// A recursive-descent parser. It never backtracks, so the token at which it fails is the furthest one it has reached.
protocol TokenParser {
    associatedtype Keyword: Equatable, Sendable

    /// The tokens of the text, at least one.
    var tokens: [Token<Keyword>] { get }

    /// The index of the current token.
    var index: Int { get set }

    /// The nesting depth of the constructs being parsed that can contain themselves.
    var nesting: Int { get set }

    /// The number of operators in the current chain that are nested in its left operands. In a chain of different operators, each wraps the
    /// operation to its left, which deepens the tree without recursion of the parser, so they are counted separately. Operands side by
    /// side, such as the terms of an AND, count once.
    var wrappings: Int { get set }

    /// The maximum of ``nesting``.
    static var maximumNesting: Int { get }

    /// The maximum of ``wrappings``.
    static var maximumWrapping: Int { get }

    /// The error for nesting that is too deep at the current token.
    var nestingError: QueryError { get }

    /// Parses `expr` of the grammar.
    mutating func parseExpression() throws(QueryError) -> QueryExpression

    /// Returns the error for a symbol that is missing at the current token.
    func missing(_ symbol: Symbol) -> QueryError
}

extension TokenParser {
    var current: Token<Keyword>.Kind { tokens[index].kind }

    /// The token after the current one; `end` if there is none.
    var following: Token<Keyword>.Kind { kind(at: 1) }

    /// Returns the token `distance` places after the current one; `end` if there is none.
    func kind(at distance: Int) -> Token<Keyword>.Kind { index + distance < tokens.count ? tokens[index + distance].kind : .end }

    mutating func advance() {
        if index + 1 < tokens.count { index += 1 }
    }

    func isAt(_ symbol: Symbol) -> Bool { current == .symbol(symbol) }

    func isAt(_ keyword: Keyword) -> Bool { current == .keyword(keyword) }

    /// Skips the symbol if it is the current token. Returns whether it was.
    @discardableResult
    mutating func skip(_ symbol: Symbol) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    @discardableResult
    mutating func skip(_ keyword: Keyword) -> Bool {
        guard isAt(keyword) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: Symbol) throws(QueryError) {
        guard skip(symbol) else { throw missing(symbol) }
    }

    /// Counts the start of a construct that can contain itself, as one or more levels. Throws if the nesting is too deep.
    mutating func enter(_ count: Int = 1) throws(QueryError) {
        nesting += count
        guard nesting <= Self.maximumNesting else { throw nestingError }
    }

    /// Counts the end of constructs for which ``enter()`` was called.
    mutating func leave(_ count: Int = 1) { nesting -= count }

    /// Counts an operator that wraps the operation to its left. Throws if there are too many inside one another.
    mutating func countWrapping() throws(QueryError) {
        wrappings += 1
        guard wrappings <= Self.maximumWrapping else { throw nestingError }
    }

    /// Parses expressions separated by commas, possibly none, up to and including the closing symbol.
    mutating func parseExpressions(until closing: Symbol) throws(QueryError) -> [QueryExpression] {
        var expressions: [QueryExpression] = []
        guard !skip(closing) else { return expressions }
        repeat { expressions.append(try parseExpression()) } while skip(.comma)
        try expect(closing)
        return expressions
    }
}
