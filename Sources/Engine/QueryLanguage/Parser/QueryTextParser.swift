/// A recursive-descent parser for SQL++ text (Query 2.2).
///
/// This file contains the handling of tokens; the grammar is in the extensions.
struct QueryTextParser: TokenParser {
    /// The text, for the messages of errors.
    let text: String
    let tokens: [Token<QueryKeyword>]
    var index = 0

    /// The variables of the enclosing ANY and EVERY. A property that starts with such a name is that variable.
    var variables: [String] = []
    /// Whether integers outside of the range of `Int64` become the nearest one inside, as in numbers of rows, and in indexes as in the original.
    var saturatesIntegers = false

    /// The queries that WITH names.
    var namedQueries: [NamedQuery] = []

    /// The number of queries in FROM so far.
    var nestedQueryCount = 0

    /// The number of parts of all expressions in which variables of LET have been replaced.
    var replacedParts = 0

    static let maximumNesting = SQLPlusPlus.maximumNesting
    static let maximumWrapping = SQLPlusPlus.maximumNesting
    var nesting = 0
    var wrappings = 0

    /// Whether the last parsed chain of operators ends with a comparison or test that is not in parentheses.
    var endsWithTest = false

    init(_ text: String) {
        self.text = text
        tokens = QueryLexer.tokens(of: text)
    }

    /// Whether the next token follows the current one without white space.
    var touchesFollowing: Bool { index + 1 < tokens.count && tokens[index].end == tokens[index + 1].start }

    /// Whether the current token is this unreserved word, unquoted and in any case.
    func isAt(word: String) -> Bool {
        if case .name(let name, isQuoted: false) = current { name.uppercased() == word } else { false }
    }

    mutating func skip(word: String) -> Bool {
        guard isAt(word: word) else { return false }
        advance()
        return true
    }

    mutating func skipIdentifier() -> String? {
        guard case .name(let name, _) = current else { return nil }
        advance()
        return name
    }

    mutating func expect(_ keyword: Keyword) throws(QueryError) {
        guard skip(keyword) else { throw syntaxError(expecting: keyword.text) }
    }

    mutating func expectIdentifier(_ what: String = "a name") throws(QueryError) -> String {
        guard let name = skipIdentifier() else { throw syntaxError(expecting: what, allowsName: true) }
        return name
    }

    func expectEnd() throws(QueryError) {
        guard current == .end else { throw endError }
    }

    /// Parses one or more items separated by commas.
    mutating func parseList<Item>(of item: (inout QueryTextParser) throws(QueryError) -> Item) throws(QueryError) -> [Item] {
        var items = [try item(&self)]
        while skip(.comma) { items.append(try item(&self)) }
        return items
    }

    func missing(_ symbol: Symbol) -> QueryError { syntaxError(expecting: "\"\(symbol.rawValue)\"") }

    var nestingError: QueryError { QueryError(.invalidQuery, "the query is nested too deeply", offset: errorOffset) }
}
