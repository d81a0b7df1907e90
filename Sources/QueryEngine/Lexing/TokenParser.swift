/// A recursive-descent parser. It never backtracks, so the token at which it fails is the furthest one it has reached.
protocol TokenParser {
    associatedtype Keyword: Equatable, Sendable

    /// The tokens of the text, at least one.
    var tokens: [Token<Keyword>] { get }

    /// The index of the current token.
    var index: Int { get set }

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
    func kind(at distance: Int) -> Token<Keyword>.Kind {
        index + distance < tokens.count ? tokens[index + distance].kind : .end
    }

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

    /// Parses expressions separated by commas, possibly none, up to and including the closing symbol.
    mutating func parseExpressions(until closing: Symbol) throws(QueryError) -> [QueryExpression] {
        var expressions: [QueryExpression] = []
        guard !skip(closing) else { return expressions }
        repeat { expressions.append(try parseExpression()) } while skip(.comma)
        try expect(closing)
        return expressions
    }
}
