/// A recursive-descent parser over the tokens of SQL++ text (Query 2.2).
///
/// It never goes back, so the token at which it fails is the furthest one it has reached. This file has the means to
/// look at tokens; the grammar is in the extensions.
struct QueryTextParser {
    private let tokens: [Token]
    private var index = 0

    /// The variables of the enclosing ANY and EVERY. Properties that begin with one are that variable.
    var variables: [String] = []

    /// How many expressions and operands of prefix operators are being parsed, one inside the other.
    var nesting = 0

    /// How many left operands were wrapped once more by an operator of the same chain. Chains of unlike operators
    /// lean to the left without any recursion of the parser, so they are counted by themselves.
    var wrappings = 0
    /// Whether the chain of operators parsed last ends with a comparison or test of its own, not one in parentheses.
    var endsWithTest = false

    init(_ text: String) {
        tokens = Lexer.tokens(of: text)
    }

    var current: Token.Kind { tokens[index].kind }

    /// The token after the current one. Behind the last one there are only ends.
    var following: Token.Kind { kind(at: 1) }

    /// The token that many places after the current one.
    func kind(at distance: Int) -> Token.Kind {
        index + distance < tokens.count ? tokens[index + distance].kind : .end
    }

    /// Whether nothing, not even a space, is between the current token and the one after it.
    var touchesFollowing: Bool { index + 1 < tokens.count && tokens[index].end == tokens[index + 1].start }

    mutating func advance() {
        if index + 1 < tokens.count { index += 1 }
    }

    // MARK: Trying

    func isAt(_ symbol: Symbol) -> Bool { current == .symbol(symbol) }

    func isAt(_ keyword: Keyword) -> Bool { current == .keyword(keyword) }

    /// Whether the current token is this unreserved word, in any case and not quoted.
    func isAt(word: String) -> Bool {
        if case .identifier(let name, isQuoted: false) = current { name.uppercased() == word } else { false }
    }

    /// Goes past the symbol if it is next, and says whether it was.
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

    // MARK: Demanding

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

    /// One or more items with commas between them.
    mutating func parseList<Item>(of item: (inout QueryTextParser) throws(QueryError) -> Item) throws(QueryError) -> [Item] {
        var items = [try item(&self)]
        while skip(.comma) { items.append(try item(&self)) }
        return items
    }

    /// Items with commas between them, perhaps none, up to and with the closing symbol.
    mutating func parseList<Item>(
        until closing: Symbol,
        of item: (inout QueryTextParser) throws(QueryError) -> Item
    ) throws(QueryError) -> [Item] {
        if skip(closing) { return [] }
        let items = try parseList(of: item)
        try expect(closing)
        return items
    }

    /// The error that the current token gives (Query 2.6).
    var syntaxError: QueryError {
        let offset = tokens[index].start
        return QueryError(.invalidQuery, "N1QL syntax error near character \(offset + 1)", offset: offset)
    }
}
