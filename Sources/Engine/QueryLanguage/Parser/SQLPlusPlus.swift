/// The front end for query text (Query 2): SQL++.
package enum SQLPlusPlus {
    /// The maximum nesting depth of parentheses, literals, calls and prefix operators. Deeper text is an error, so that no input can
    /// exhaust the stack. It is also the maximum number of operators inside one another that wrap the operation to their left.
    package static let maximumNesting = 100

    /// Parses a whole query.
    ///
    /// - Throws: ``QueryError``. A syntax error has the message `SQL++ syntax error near character N`, where N − 1 is its offset, the
    ///   furthest one that the parser reached.
    package static func parse(_ text: String) throws(QueryError) -> SelectStatement {
        var parser = QueryTextParser(text)
        try parser.parseNamedQueries()
        let select = try parser.parseSelect()
        parser.skip(.semicolon)
        try parser.expectEnd()
        for query in [select] + select.combinations.map(\.select) where query.lacksSource { throw QueryError.missingSource }
        return select
    }

    /// Parses a statement that changes documents; returns `nil` if the text does not begin like one.
    ///
    /// - Throws: ``QueryError`` as ``parse(_:)``.
    package static func parseDataStatement(_ text: String) throws(QueryError) -> DataStatement? {
        var parser = QueryTextParser(text)
        guard parser.isAtDataStatement else { return nil }
        let statement = try parser.parseDataStatement()
        parser.skip(.semicolon)
        try parser.expectEnd()
        return statement
    }

    /// Parses one expression.
    ///
    /// - Parameter nesting: The nesting depth of the place in a query where the text stands. Default: 0.
    package static func parseExpression(_ text: String, nesting: Int = 0) throws(QueryError) -> QueryExpression {
        var parser = QueryTextParser(text)
        parser.nesting = nesting
        let expression = try parser.parseExpression()
        try parser.expectEnd()
        return expression
    }

    /// Parses the expressions of an index, separated by commas (Query 7.1). At least one is required.
    package static func parseIndexExpressions(_ text: String) throws(QueryError) -> [QueryExpression] {
        guard QueryLexer.tokens(of: text).first?.kind != .end else { throw QueryError(.invalidQuery, "empty index expression", offset: 0) }
        do throws(QueryError) {
            var parser = QueryTextParser(text)
            parser.saturatesIntegers = true
            let expressions = try parser.parseList { parser throws(QueryError) in
                try parser.parseExpression().readAsListItem
            }
            try parser.expectEnd()
            return expressions
        } catch {
            throw error.inIndexExpression(text)
        }
    }

    /// Parses the WHERE condition of a partial index.
    package static func parseIndexCondition(_ text: String) throws(QueryError) -> QueryExpression {
        do throws(QueryError) {
            var parser = QueryTextParser(text)
            parser.saturatesIntegers = true
            let condition = try parser.parseExpression()
            try parser.expectEnd()
            return condition
        } catch {
            throw error.inIndexExpression(text)
        }
    }
}

extension QueryError {
    /// Returns a syntax error with the message that applications expect for index expressions (Query 7.3).
    fileprivate func inIndexExpression(_ text: String) -> QueryError {
        guard let offset else { return self }
        let message = "Invalid SQL++ in index expression \"\(text)\" near character \(offset + 1)"
        return QueryError(kind, message, hint: hint, excerpt: excerpt, offset: offset)
    }
}

extension QueryExpression {
    /// This expression as an item of the result list, GROUP BY or ORDER BY, where a bare string is a property path (Query 1.2).
    var readAsListItem: QueryExpression {
        get throws(QueryError) {
            guard case .string(let path) = self else { return self }
            guard !path.isEmpty else { throw QueryError.invalidQuery("Invalid property path: Fleece path syntax error: Empty path") }
            return try .property(encodedPath: path)
        }
    }
}

extension QueryError {
    /// The error for a property in a query without sources.
    static let missingSource = QueryError.invalidQuery("SQL++ error: missing the FROM clause")
}

extension SelectStatement {
    /// Whether the query has no source, but a column reads a document.
    fileprivate var lacksSource: Bool {
        hasNoSource
            && items.contains { item in
                // In count(*), the document is not read.
                item.expression == .property([])
                    || item.expression.contains { if case .property(let path) = $0 { !path.isEmpty } else { false } }
            }
    }
}
