/// A recursive-descent parser for SQL++ text (Query 2.2).
///
/// It never backtracks, so the token at which it fails is the furthest one it has reached. This file contains the handling of tokens; the
/// grammar is in the extensions.
struct QueryTextParser {
    private let tokens: [Token]
    private var index = 0

    /// The variables of the enclosing ANY and EVERY. A property that starts with such a name is that variable.
    var variables: [String] = []

    /// The nesting depth of the expressions and operands of prefix operators being parsed.
    var nesting = 0

    /// How many operators that wrap the operation to their left are inside one another, at most, in what has been parsed of the current
    /// chain. Chains of different operators are left-leaning and deepen the tree without recursion of the parser, so they are counted
    /// separately. What stands side by side, such as the terms of an AND, counts once, because the tree does not become deeper.
    var wrappings = 0
    /// Whether the last parsed chain of operators ends with a comparison or test that is not in parentheses.
    var endsWithTest = false

    init(_ text: String) {
        tokens = Lexer.tokens(of: text)
    }

    var current: Token.Kind { tokens[index].kind }

    /// The token after the current one; `end` if there is none.
    var following: Token.Kind { kind(at: 1) }

    /// Returns the token `distance` places after the current one; `end` if there is none.
    func kind(at distance: Int) -> Token.Kind {
        index + distance < tokens.count ? tokens[index + distance].kind : .end
    }

    /// Whether the next token follows the current one without white space.
    var touchesFollowing: Bool { index + 1 < tokens.count && tokens[index].end == tokens[index + 1].start }

    mutating func advance() {
        if index + 1 < tokens.count { index += 1 }
    }

    // MARK: Optional tokens

    func isAt(_ symbol: Symbol) -> Bool { current == .symbol(symbol) }

    func isAt(_ keyword: Keyword) -> Bool { current == .keyword(keyword) }

    /// Whether the current token is this unreserved word, unquoted and in any case.
    func isAt(word: String) -> Bool {
        if case .identifier(let name, isQuoted: false) = current { name.uppercased() == word } else { false }
    }

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

    mutating func skip(word: String) -> Bool {
        guard isAt(word: word) else { return false }
        advance()
        return true
    }

    mutating func skipIdentifier() -> String? {
        guard case .identifier(let name, _) = current else { return nil }
        advance()
        return name
    }

    // MARK: Required tokens

    mutating func expect(_ symbol: Symbol) throws(QueryError) {
        guard skip(symbol) else { throw syntaxError }
    }

    mutating func expect(_ keyword: Keyword) throws(QueryError) {
        guard skip(keyword) else { throw syntaxError }
    }

    mutating func expectIdentifier() throws(QueryError) -> String {
        guard let name = skipIdentifier() else { throw syntaxError }
        return name
    }

    func expectEnd() throws(QueryError) {
        guard current == .end else { throw syntaxError }
    }

    /// Parses one or more items separated by commas.
    mutating func parseList<Item>(of item: (inout QueryTextParser) throws(QueryError) -> Item) throws(QueryError) -> [Item] {
        var items = [try item(&self)]
        while skip(.comma) { items.append(try item(&self)) }
        return items
    }

    /// Parses items separated by commas, possibly none, up to and including the closing symbol.
    mutating func parseList<Item>(
        until closing: Symbol,
        of item: (inout QueryTextParser) throws(QueryError) -> Item
    ) throws(QueryError) -> [Item] {
        if skip(closing) { return [] }
        let items = try parseList(of: item)
        try expect(closing)
        return items
    }

    /// The syntax error at the current token (Query 2.6).
    var syntaxError: QueryError {
        let offset = tokens[index].start
        return QueryError(.invalidQuery, "N1QL syntax error near character \(offset + 1)", offset: offset)
    }
}
