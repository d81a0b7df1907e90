import Base

/// A search in FROM whose names are resolved.
package struct ResolvedSearch {
    /// The search as written.
    package let source: SearchSource
    /// The collection that is searched.
    package let table: SourceTable
    private let number: Int

    init(_ source: SearchSource, of table: SourceTable, number: Int) {
        (self.source, self.table, self.number) = (source, table, number)
    }

    // No source has such an alias, because `<` begins no name without quotation marks.

    /// The alias of the fused rows in SQL.
    package var rows: String { "<search\(number)>" }
    /// The alias of their documents.
    package var documents: String { "<found\(number)>" }
    /// The alias of the best documents for the words.
    package var words: String { "<words\(number)>" }
    /// The alias of the nearest documents.
    package var vectors: String { "<near\(number)>" }
}

/// Searches in FROM (Query 12.7).
///
/// Two subqueries collect the best documents of the halves, each as one value. A table-valued function fuses them, and each of its rows is joined
/// with its document.
extension SelectCompiler {
    mutating func resolveSearch(_ search: SearchSource, _ source: Source, isFirst: Bool) throws -> ResolvedSource {
        try checkJoin(source, isFirst: isFirst)
        let table = try self.table(of: search.collection)
        record.addTable(table)
        record.searchCount += 1
        let resolved = ResolvedSearch(search, of: table, number: record.searchCount)
        var halves = (text: "NULL", vector: "NULL")
        var excerpt = "NULL"
        if let text = search.text {
            var compiler = try half(text, of: search, .in)
            halves.text = try compiler.list(as: resolved.words)
            if self.select.mayRead("snippet", ofSource: source.defaultedAlias ?? "") { excerpt = try compiler.excerpt(of: resolved) }
            queriesInFrom.append(compiler)
        }
        if let vector = search.vector {
            var compiler = try half(vector, of: search, .by)
            halves.vector = try compiler.list(as: resolved.vectors)
            queriesInFrom.append(compiler)
        }
        let settings = try SearchArgument.fusionSettings.map { argument in
            try with({ $0.clause = .limit }) { try $0.expression(search.setting(argument) ?? argument.defaultValue) }
        }
        let arguments = ([halves.text, halves.vector] + settings).joined(separator: ", ")
        let (rows, document) = (SQLText.identifier(resolved.rows), SQLText.identifier(resolved.documents))
        let values = [
            "fl_document(\(document).body)", "\(document).key", "\(rows).score", "\(rows).text_score", "\(rows).distance", excerpt,
        ]
        let columns = values.enumerated().map { "\($1) AS c\($0 + 1)" }.joined(separator: ", ")
        let join = "CROSS JOIN \(SQLText.identifier(table.liveTable)) AS \(document) ON \(document).rowid = \(rows).docid"
        let sql = try record.counted("SELECT \(columns) FROM fl_search_rows(\(arguments)) AS \(rows) \(join)")
        return ResolvedSource(
            kind: .rows(NestedRows(sql: sql, titles: SearchSource.columns, search: resolved)),
            alias: source.defaultedAlias,
            syntax: source
        )
    }

    /// Returns the compiler of one half.
    ///
    /// - Parameter place: The argument that names its index.
    private func half(_ select: SelectStatement, of search: SearchSource, _ place: SearchArgument) throws -> SelectCompiler {
        do {
            var result = try compiler(ofHalf: select)
            result.form.limitArgument = search.setting(.candidates) == nil ? .limit : .candidates
            return result
        } catch let error as QueryError where error.kind == .missingIndex {
            if search.setting(.where) != nil, try findsIndex(ofHalf: select, place) {
                throw QueryError(.missingIndex, "the argument 'where' of search(): \(error.message)", hint: error.hint)
            }
            let expression = search.vectorExpression.map { QueryJSON.text(of: $0) } ?? ""
            let what = place == .in ? "full-text index '\(search.textIndex ?? "")'" : "vector index on \(expression)"
            throw QueryError(.missingIndex, "the argument '\(place.name)' of search(): \(search.collection) has no \(what)")
        }
    }

    private func compiler(ofHalf select: SelectStatement) throws -> SelectCompiler {
        try SelectCompiler(select, record: record, enclosing: enclosing, variables: context.variables, namesColumns: true)
    }

    /// Returns whether the index of a half exists, so that an index is missing for its condition.
    private func findsIndex(ofHalf select: SelectStatement, _ place: SearchArgument) throws -> Bool {
        var plain = select
        // The search for the words begins the condition of its half; see `SearchSource`.
        plain.condition = place == .in ? select.condition?.conjuncts.first : nil
        do {
            _ = try compiler(ofHalf: plain)
            return true
        } catch let error as QueryError where error.kind == .missingIndex {
            return false
        }
    }

    /// Compiles a half to a subquery whose value are its rows.
    private mutating func list(as alias: String) throws -> String {
        "(SELECT fl_ranked(c1, c2) FROM (\(try statement(hiddenColumns: []))) AS \(SQLText.identifier(alias)))"
    }

    /// Compiles the excerpt of a row that has the words. The halves have none: it is made after the fusion, for at most as many rows as the limit of
    /// the search, and only in a query that reads it.
    private mutating func excerpt(of search: ResolvedSearch) throws -> String {
        guard let match = matches.first, case .match(let index, let pattern)? = select.condition?.conjuncts.first,
            try record.resolver.columns(ofFullTextTable: match.table).count <= SearchFunction.maximumTextCount
        else { return "NULL" }
        context.clause = .condition
        let test = try matchSQL(index: index, pattern: pattern, isAtTop: true)
        let rows = SQLText.identifier(search.rows)
        let excerpt = try searchSQL(.snippet, index: index, [])
        // FTS4 stops after the last number. With an equality it would not know it.
        let row = "\(match.alias).docid BETWEEN \(rows).docid AND \(rows).docid"
        let subquery = "SELECT \(excerpt) FROM \(SQLText.identifier(match.table)) AS \(match.alias) WHERE \(test) AND \(row)"
        return "CASE WHEN \(rows).text_score IS NOT NULL THEN (\(subquery)) END"
    }
}

extension SelectStatement {
    /// Whether the query or one nested in it may read a column of a source, by the title of the column or with the whole row.
    fileprivate func mayRead(_ title: String, ofSource alias: String) -> Bool {
        var isFound = false
        func visit(_ part: QueryExpression) {
            switch part {
            case .property(let path): isFound = isFound || path.mayRead(title, ofSource: alias)
            case .select(let nested): nested.forEachExpression(visit)
            // This reads no row.
            case .function(let name, [.property([])]) where name.lowercased() == "count": break
            default: part.forEachChild(visit)
            }
        }
        forEachExpression(visit)
        return isFound
    }
}

extension PropertyPath {
    fileprivate func mayRead(_ title: String, ofSource alias: String) -> Bool {
        let keys = components.compactMap { if case .key(let key) = $0 { key } else { nil } }
        return components.isEmpty || keys.containsExactly(title) || keys.joined(separator: ".").isExactly(alias)
    }
}

extension SearchArgument {
    /// The value if none is given; MISSING if it depends on the fusion.
    fileprivate var defaultValue: QueryExpression {
        switch self {
        case .fusion: .string("rrf")
        case .limit: .integer(Int64(SearchSource.usualLimit))
        default: .missing
        }
    }
}
