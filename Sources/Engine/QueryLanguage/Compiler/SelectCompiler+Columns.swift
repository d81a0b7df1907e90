// The result columns of a query (Query 4.2, 5.6).

extension SelectCompiler {
    /// Compiles the result columns of the query; without any, they are the ID and the sequence.
    mutating func resultColumns() throws -> [String] {
        guard !select.items.isEmpty else {
            let qualifier = scope.main?.qualifier ?? ""
            let columns = [MetaField.id.sql(qualifier), MetaField.sequence.sql(qualifier)]
            return namesColumns ? ["\(columns[0]) AS c1", "\(columns[1]) AS c2"] : columns
        }
        return try columns(select.items)
    }

    /// Compiles result columns.
    mutating func columns(_ items: [SelectItem]) throws -> [String] {
        context.clause = .items
        return try items.enumerated().map { position, item in
            var column = try record.counted(with({ $0.isTagRead = true }) { try $0.resultForm(of: item) })
            // DISTINCT and UNION would compare columns by any collation that occurs inside them.
            let isCompared = select.isDistinct || namesColumns || !select.combinations.isEmpty
            if isCompared, item.expression.contains(where: \.isCollation) { column = withoutCollation(column) }
            if namesColumns { return "\(column) AS c\(position + 1)" }
            return item.title.map { "\(column) AS \(SQLText.identifier($0))" } ?? column
        }
    }

    /// Compiles a result column to the value that the rows contain (Query 3.3, 5.6).
    mutating func resultForm(of item: SelectItem) throws -> String {
        if case .property(let path) = item.expression {
            if let body = try bodyArguments(path, isPathRequired: true) { return "fl_result(\(body))" }
            if let column = try nestedColumn(path) { return column }
        }
        let isBoolean = item.title == nil && item.expression.yieldsBooleanColumn
        let value = try expression(item.expression)
        return isPlainColumn(value) ? value : "\(isBoolean ? "fl_boolean_result" : "fl_result")(\(value))"
    }

    /// Returns the column of a nested query that a path denotes, which has the form of result rows already; `nil` for any other path.
    private func nestedColumn(_ path: PropertyPath) throws -> String? {
        if scope.explicitSource(of: path) == nil {
            guard resultItem(named: path) == nil, try enclosingSource(of: path) == nil else { return nil }
        }
        guard let (index, rest) = scope.source(of: path),
            case .rows(let rows) = scope.sources[index].kind, !rest.isEmpty,
            case let (column, inner) = try rows.column(at: rest, of: scope.sources[index]), inner.isEmpty
        else { return nil }
        return column
    }

    /// Returns whether an expression is the ID or the sequence of a source. Strings and integers need no conversion, although Couchbase
    /// Lite converts them too; the conversion would double the cost of reading the column.
    private func isPlainColumn(_ sql: String) -> Bool {
        scope.sources.contains { source in
            sql == MetaField.id.sql(source.qualifier) || sql == MetaField.sequence.sql(source.qualifier)
        }
    }
}

extension QueryExpression {
    /// Whether a result column without a title converts the value to true or false (Query 3.3).
    fileprivate var yieldsBooleanColumn: Bool {
        switch self {
        case .operation(let symbol, _): symbol.yieldsBoolean
        case .quantified(let quantifier, _, _, _): quantifier != .any
        default: false
        }
    }
}
