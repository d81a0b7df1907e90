import Base

extension QueryTextParser {
    /// The words with which a statement that changes documents begins. Like the other words of these statements, they are not reserved: in
    /// queries they are names.
    private static let beginnings = ["INSERT", "UPSERT", "UPDATE", "DELETE"]

    /// Whether the text is a statement that changes documents.
    var isAtDataStatement: Bool { Self.beginnings.contains { isAt(word: $0) } }

    /// Parses a statement that changes documents (Query 11).
    mutating func parseDataStatement() throws(QueryError) -> DataStatement {
        var statement =
            if skip(word: "UPDATE") {
                try parseUpdate()
            } else if skip(word: "DELETE") {
                try parseDeletion()
            } else {
                try parseInsertion()
            }
        if skip(word: "RETURNING") {
            statement.returning = try parseList { parser throws(QueryError) in try parser.parseItem() }
        }
        return statement
    }

    private mutating func expect(word: String) throws(QueryError) {
        guard skip(word: word) else { throw syntaxError(expecting: word) }
    }

    // MARK: UPDATE and DELETE

    private mutating func parseUpdate() throws(QueryError) -> DataStatement {
        let target = try parseTarget(before: ["SET", "UNSET"])
        var assignments: [DataStatement.Assignment] = []
        repeat {
            if skip(word: "SET") {
                assignments += try parseList { parser throws(QueryError) in
                    let path = try parser.parseChangedPath(of: target)
                    guard parser.skip(.equal) || parser.skip(.doubleEqual) else { throw parser.syntaxError(expecting: "\"=\"") }
                    return DataStatement.Assignment(path, try parser.parseExpression())
                }
            } else {
                try expect(word: "UNSET")
                assignments += try parseList { parser throws(QueryError) in
                    DataStatement.Assignment(try parser.parseChangedPath(of: target), nil)
                }
            }
        } while isAt(word: "SET") || isAt(word: "UNSET")
        return try parseSelection(of: DataStatement(.update(assignments), in: target))
    }

    private mutating func parseDeletion() throws(QueryError) -> DataStatement {
        try expect(.from)
        return try parseSelection(of: DataStatement(.delete, in: try parseTarget(before: ["RETURNING"])))
    }

    /// Parses the clauses that select the documents.
    private mutating func parseSelection(of statement: DataStatement) throws(QueryError) -> DataStatement {
        var statement = statement
        if skip(.where) { statement.condition = try parseExpression() }
        if skip(.limit) { statement.limit = try parseExpression() }
        return statement
    }

    /// Parses a collection and its alias, which cannot be one of the words that follow it, unless it is quoted or follows AS.
    private mutating func parseTarget(before words: [String]) throws(QueryError) -> Source {
        var path = CollectionPath(name: try expectIdentifier())
        if skip(.dot) {
            path.scope = path.name
            path.name = try expectIdentifier()
        }
        if skip(.as) { return .collection(path, alias: try expectIdentifier()) }
        return .collection(path, alias: words.contains { isAt(word: $0) } ? nil : skipIdentifier())
    }

    /// Parses the path of a property to be changed, and removes the name of the collection from its beginning.
    private mutating func parseChangedPath(of target: Source) throws(QueryError) -> PropertyPath {
        let start = index
        guard case .property(var path) = try parseOperand() else { throw syntaxError("the path of a property is expected here", at: start) }
        if path.components.count > 1, let name = target.alias ?? target.collectionName, name.isExactly(path.firstKey) {
            path = path.dropFirst()
        }
        let isWhole = path.firstKey == nil || tokens[index - 1].kind == .symbol(.star)
        if isWhole {
            throw syntaxError("a document as a whole cannot be set; use UPSERT", at: start)
        }
        return path
    }

    // MARK: INSERT and UPSERT

    private mutating func parseInsertion() throws(QueryError) -> DataStatement {
        let replaces = isAt(word: "UPSERT")
        advance()
        try expect(word: "INTO")
        let target = try parseTarget(before: ["VALUES"])
        // `(KEY, VALUE)` announces the values; `(KEY name, VALUE name)` names the columns of a query.
        try expect(.leftParenthesis)
        let hasKey = skip(word: "KEY")
        let keyColumn = hasKey ? skipIdentifier() : nil
        if hasKey { try expect(.comma) }
        try expect(word: "VALUE")
        let valueColumn = skipIdentifier()
        try expect(.rightParenthesis)
        if isAt(.select) {
            guard let valueColumn, hasKey == (keyColumn != nil) else {
                throw syntaxError("the names of the query's columns are missing: (KEY name, VALUE name)", at: index)
            }
            return DataStatement(.insert(.select(try parseSelect(), key: keyColumn, value: valueColumn), replaces: replaces), in: target)
        }
        guard keyColumn == nil, valueColumn == nil else { throw syntaxError(expecting: "SELECT") }
        var rows: [DataStatement.Row] = []
        try expect(word: "VALUES")
        repeat {
            _ = skip(word: "VALUES")
            try expect(.leftParenthesis)
            let first = try parseExpression()
            if hasKey {
                try expect(.comma)
                rows.append(DataStatement.Row(key: first, value: try parseExpression()))
            } else {
                rows.append(DataStatement.Row(key: nil, value: first))
            }
            try expect(.rightParenthesis)
        } while skip(.comma)
        return DataStatement(.insert(.values(rows), replaces: replaces), in: target)
    }
}

extension Source {
    /// The name of the collection without its scope.
    fileprivate var collectionName: String? {
        if case .collection(let path) = origin { path.name } else { nil }
    }
}
