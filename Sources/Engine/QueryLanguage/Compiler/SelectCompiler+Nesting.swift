import Base

/// A query around a nested one, to whose sources the nested query can refer.
struct EnclosingQuery {
    let scope: SourceScope
    let isGrouped: Bool
    /// Whether the nested query is evaluated after the rows of this one have been grouped.
    let followsGrouping: Bool
}

extension SelectCompiler {
    /// Returns the compiler of a query that is nested in the current expression.
    private func compiler(ofNested nested: SelectStatement, namesColumns: Bool) throws -> SelectCompiler {
        guard context.clause != .index else { throw QueryError.invalidQuery("a nested SELECT is not allowed in an index expression") }
        return try SelectCompiler(
            nested,
            record: record,
            enclosing: enclosingNested,
            variables: context.variables,
            namesColumns: namesColumns
        )
    }

    /// The queries around a query that is nested in the current expression, from the outermost on.
    var enclosingNested: [EnclosingQuery] {
        enclosing + [
            EnclosingQuery(scope: scope, isGrouped: !select.grouping.isEmpty, followsGrouping: context.clause.followsGrouping)
        ]
    }

    /// Calls `body` with a compiler of the query and of every query nested in it, and with the number of queries around each.
    static func forEachQuery(
        in select: SelectStatement,
        record: CompilationRecord,
        enclosing: [EnclosingQuery] = [],
        depth: Int = 0,
        _ body: (SelectCompiler, Int) throws -> Void
    ) throws {
        try SelectCompiler(select, record: record, enclosing: enclosing).forEachQuery(depth: depth, body)
    }

    private func forEachQuery(depth: Int, _ body: (SelectCompiler, Int) throws -> Void) throws {
        try body(self, depth)
        // They are beside this query, as combined queries are. They have been compiled with it, so their aliases are those of the statement.
        for query in queriesInFrom { try query.forEachQuery(depth: depth, body) }
        func visit(_ expression: QueryExpression) throws {
            guard case .select(let nested) = expression else { return try expression.forEachChild(visit) }
            try Self.forEachQuery(in: nested, record: record, enclosing: enclosingNested, depth: depth + 1, body)
        }
        try select.forEachExpression { expression in
            if case .select = expression { return }
            try visit(expression)
        }
        for combination in select.combinations {
            try Self.forEachQuery(in: combination.select, record: record, enclosing: enclosing, depth: depth, body)
        }
    }

    /// SQLite combines queries recursively, so their number is limited.
    private static let maximumCombinations = 100

    /// Compiles a query that is combined with this one.
    func combined(_ combination: Combination, number: Int) throws -> String {
        guard number <= Self.maximumCombinations else {
            throw QueryError.invalidQuery("at most \(Self.maximumCombinations) queries can be combined")
        }
        let other = combination.select
        let name = combination.kind.rawValue
        guard other.ordering.isEmpty, other.limit == nil, other.offset == nil, other.combinations.isEmpty else {
            throw QueryError.invalidQuery("a query after \(name) cannot have ORDER BY, LIMIT or OFFSET, which belong to the whole query")
        }
        guard other.columnCount == select.columnCount else {
            throw QueryError.invalidQuery(
                "the first query has \(select.columnCount) columns, but query \(number), after \(name), has \(other.columnCount)"
            )
        }
        var compiler = try SelectCompiler(
            other,
            record: record,
            enclosing: enclosing,
            variables: context.variables,
            namesColumns: true
        )
        return try compiler.selection()
    }

    func existence(ofRowsIn nested: SelectStatement) throws -> String {
        // No index contains a nested query, so its text does not matter.
        guard !context.isLikeIndex else { return "EXISTS (SELECT)" }
        var compiler = try self.compiler(ofNested: nested, namesColumns: false)
        return "EXISTS (\(try compiler.statement(hiddenColumns: [])))"
    }

    /// Compiles the query after IN to one that returns the values of its only column, without MISSING.
    func values(of nested: SelectStatement) throws -> String {
        guard !context.isLikeIndex else { return "SELECT" }
        let count = nested.columnCount
        guard count == 1 else { throw QueryError.invalidQuery("a query after IN must have one column, but this one has \(count)") }
        var compiler = try self.compiler(ofNested: nested, namesColumns: true)
        return "SELECT fl_column(c1) FROM (\(try compiler.statement(hiddenColumns: []))) WHERE c1 IS NOT NULL"
    }

    // MARK: Names of the queries around

    /// Returns the source of a query around this one that a path names at its beginning, with the rest of the path; `nil` if it names none.
    /// The caller must have looked for the name in this query.
    func enclosingSource(of path: PropertyPath) throws -> (source: ResolvedSource, rest: PropertyPath, query: EnclosingQuery)? {
        var inner = [scope]
        for query in enclosing.reversed() {
            guard let (index, rest) = query.scope.explicitSource(of: path) else {
                inner.append(query.scope)
                continue
            }
            let source = query.scope.sources[index]
            let alias = source.alias ?? ""
            // SQLite does not distinguish case in aliases.
            if let hiding = inner.flatMap(\.sources).compactMap(\.alias).first(where: { $0.lowercased() == alias.lowercased() }) {
                throw QueryError.invalidQuery("'\(alias)' of the query around is hidden by '\(hiding)' of the nested query")
            }
            // In SQL, such an aggregate would belong to the query around.
            guard !context.isInsideAggregate else {
                throw QueryError.invalidQuery(
                    "an aggregate function in a nested query cannot refer to '\(alias)' of the query around"
                )
            }
            return (source, rest, query)
        }
        return nil
    }

    /// Whether `meta(alias)` refers to a query around this one.
    func isOfEnclosingQuery(_ alias: String?) -> Bool {
        guard let alias, scope.explicitSource(of: [.key(alias)]) == nil else { return false }
        return enclosing.contains { $0.scope.explicitSource(of: [.key(alias)]) != nil }
    }

    /// Returns the source of documents that `meta(alias)` refers to.
    func metaSource(_ alias: String?, field: PropertyPath = [.key("meta()")]) throws -> ResolvedSource {
        if let alias, isOfEnclosingQuery(alias), let found = try enclosingSource(of: [.key(alias)]), found.source.table != nil {
            return found.source
        }
        return scope.sources[try scope.documentSource(forMetaOf: alias, field: field)]
    }
}

extension SelectStatement {
    /// The alias of the combined rows. It is unlike a title, and occurs in SQL only.
    static let combinedRows = "combined rows"

    /// A query of the combined rows that sorts them; its columns are those of its source. SQL sorts combined rows only by their columns.
    var asNestedInOrdering: SelectStatement {
        var rows = self
        (rows.ordering, rows.limit, rows.offset) = ([], nil, nil)
        return SelectStatement(sources: [Source(.query(rows), alias: Self.combinedRows)], ordering: ordering, limit: limit, offset: offset)
    }
}

extension SourceScope {
    /// The columns of the nested query that is the main source, under their titles.
    var columnsOfMain: [SelectItem] {
        guard let main, case .rows(let rows) = main.kind else { return [] }
        return rows.titles.map { SelectItem(.property([.key(main.alias ?? ""), .key($0)]), title: $0) }
    }
}
