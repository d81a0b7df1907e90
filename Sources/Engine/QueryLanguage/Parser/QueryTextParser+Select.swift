import Base

extension QueryTextParser {
    /// Parses `select` of the grammar.
    mutating func parseSelect() throws(QueryError) -> SelectStatement {
        var defined: [LetVariable] = []
        var select = try parseSelection(&defined)
        while let kind = try parseCombination() {
            let start = index
            // In ORDER BY, names are titles of the combined rows.
            defined = []
            var others: [LetVariable] = []
            let other = try parseSelection(&others)
            guard other.columnCount == select.columnCount else {
                throw syntaxError("the first query has \(select.columnCount) columns, but this one has \(other.columnCount)", at: start)
            }
            select.combinations.append(Combination(kind, other))
        }
        if skip(.order) {
            try expect(.by)
            select.ordering = try parseList { parser throws(QueryError) in
                var term = try parser.parseOrdering()
                term.expression = try parser.replacing(defined, inTerm: term.expression)
                return term
            }
        }
        saturatesIntegers = true
        defer { saturatesIntegers = false }
        if skip(.limit) {
            select.limit = try parseExpression()
            if skip(.offset) { select.offset = try parseExpression() }
        } else if skip(.offset) {
            select.offset = try parseExpression()
            if skip(.limit) { select.limit = try parseExpression() }
        }
        if isAtCombination {
            throw syntaxError("ORDER BY, LIMIT and OFFSET belong to the whole query, after the last query that is combined", at: index)
        }
        if !variables.isEmpty { try select.hide(variables) }
        return select
    }

    /// Whether the current token combines this query with the next one. Otherwise these words are names.
    private var isAtCombination: Bool {
        guard isAt(word: "UNION") || isAt(word: "INTERSECT") || isAt(word: "EXCEPT") else { return false }
        switch following {
        case .keyword(.select): return true
        case .keyword(.distinct): return kind(at: 2) == .keyword(.select)
        case .name(let name, isQuoted: false): return name.uppercased() == "ALL" && kind(at: 2) == .keyword(.select)
        default: return false
        }
    }

    /// Parses the operator before another SELECT; returns `nil` if there is none.
    private mutating func parseCombination() throws(QueryError) -> Combination.Kind? {
        guard isAtCombination, case .name(let word, _) = current, let kind = Combination.Kind(rawValue: word.uppercased()) else {
            return nil
        }
        advance()
        guard isAt(word: "ALL") else {
            skip(.distinct)
            return kind
        }
        guard kind == .union else { throw syntaxError("\(kind.rawValue) ALL is not supported; write \(kind.rawValue)", at: index) }
        advance()
        return .unionAll
    }

    /// Parses the clauses up to HAVING, and returns the variables of LET, which have been replaced in them.
    private mutating func parseSelection(_ defined: inout [LetVariable]) throws(QueryError) -> SelectStatement {
        try expect(.select)
        var select = SelectStatement()
        if skip(.distinct) {
            select.isDistinct = true
        } else if isAt(word: "ALL"), followingBeginsResult {
            advance()
        }
        select.items = try parseList { parser throws(QueryError) in try parser.parseItem() }
        if skip(.from) { select.sources = try parseSources() } else { select.hasNoSource = true }
        defined = try parseLet(in: select)
        if skip(.where) { select.condition = try parseExpression() }
        if skip(.group) {
            try expect(.by)
            select.grouping = try parseList { parser throws(QueryError) in
                try parser.parseExpression().readAsListItem
            }
            if skip(.having) { select.groupCondition = try parseExpression() }
        }
        try replace(defined, in: &select)
        return select
    }

    /// Whether a result follows `ALL`. Otherwise `ALL` is a name.
    private var followingBeginsResult: Bool {
        switch following {
        case .end, .invalid, .symbol(.comma), .symbol(.dot), .symbol(.semicolon), .keyword(.from), .keyword(.as): false
        default: true
        }
    }

    mutating func parseItem() throws(QueryError) -> SelectItem {
        let expression = try parseExpression()
        guard let title = try parseAlias() else { return SelectItem(try expression.readAsListItem) }
        return SelectItem(expression, title: title)
    }

    /// Parses `[ [ AS ] ident ]`.
    private mutating func parseAlias() throws(QueryError) -> String? {
        if skip(.as) { return try expectIdentifier() }
        return isAtCombination || isAtLet ? nil : skipIdentifier()
    }

    private mutating func parseOrdering() throws(QueryError) -> OrderingTerm {
        let expression = try parseExpression()
        if skip(.desc) { return OrderingTerm(expression, isDescending: true) }
        if skip(.asc) { return OrderingTerm(expression) }
        return OrderingTerm(try expression.readAsListItem)
    }

    // MARK: Sources

    private mutating func parseSources() throws(QueryError) -> [Source] {
        var sources = [try parseSource()]
        while true {
            if skip(.unnest) {
                let array = try parseExpression()
                sources.append(Source(.unnest(array), alias: try parseAlias()))
            } else if let join = try parseJoin() {
                var source = try parseSource()
                source.join = join
                if skip(.on) { source.condition = try parseExpression() }
                sources.append(source)
            } else {
                return sources
            }
        }
    }

    /// Parses the words up to and including JOIN; returns `nil` if there is no join.
    private mutating func parseJoin() throws(QueryError) -> Source.Join? {
        if skip(.join) { return .inner }
        let join: Source.Join
        if skip(.left) {
            join = skip(.outer) ? .leftOuter : .left
        } else if skip(.inner) {
            join = .inner
        } else if skip(.cross) {
            join = .cross
        } else {
            return nil
        }
        try expect(.join)
        return join
    }

    /// Parses a collection, a nested query or a search, with its alias.
    private mutating func parseSource() throws(QueryError) -> Source {
        if isAt(word: SearchSource.functionName.uppercased()), following == .symbol(.leftParenthesis) { return try parseSearch() }
        guard isAt(.leftParenthesis), following == .keyword(.select) else { return try parseCollection() }
        advance()
        let select = try parseNestedSelect()
        guard let alias = try parseAlias() else { throw syntaxError(expecting: "a name for the nested query") }
        return Source(.query(select), alias: alias)
    }

    /// Parses `search({…}) [ [ AS ] ident ]`.
    private mutating func parseSearch() throws(QueryError) -> Source {
        let (start, outerQueryCount) = (index, nestedQueryCount)
        advance()
        try expect(.leftParenthesis)
        try enter(SearchSource.nestingCost)
        guard isAt(.leftBrace), case .dictionary(let arguments) = try parseExpression(), skip(.rightParenthesis) else {
            throw syntaxError(expecting: "one object with the arguments: search({\"text\": …, \"in\": …})")
        }
        // Both halves contain the condition, so the queries in it count twice.
        try countNestedQueries(2 + nestedQueryCount - outerQueryCount)
        let found: SearchSource
        do throws(QueryError) {
            found = try search(arguments)
        } catch {
            throw QueryError(error.kind, error.message, hint: error.hint, excerpt: TextExcerpt(of: text, at: tokens[start].start).text)
        }
        leave(SearchSource.nestingCost)
        return Source(.search(found), alias: try parseAlias())
    }

    /// Returns a search with its arguments, in which the expression of a vector index is a text.
    private func search(_ written: [DictionaryEntry]) throws(QueryError) -> SearchSource {
        var arguments = written
        for index in arguments.indices where SearchArgument.by.name.isExactly(arguments[index].key) {
            guard case .string(let text) = arguments[index].value else {
                throw SearchArgument.by.wrongValue()
            }
            do throws(QueryError) {
                arguments[index].value = try SQLPlusPlus.parseExpression(text, nesting: nesting)
            } catch {
                throw SearchArgument.by.error("is no expression: \(error.message)\(error.hint)")
            }
        }
        return try SearchSource(arguments)
    }

    private mutating func parseCollection() throws(QueryError) -> Source {
        var path = CollectionPath(name: try expectIdentifier("the name of a collection"))
        if skip(.dot) {
            path.scope = path.name
            path.name = try expectIdentifier("the name of a collection")
        }
        guard path.scope == nil, let name = path.name, let query = try namedQuery(name) else {
            return .collection(path, alias: try parseAlias())
        }
        return Source(.query(query), alias: try parseAlias() ?? name)
    }
}
