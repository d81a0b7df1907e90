import Base

extension SelectCompiler {
    /// SQLite joins no more tables.
    private static let maximumSources = 64

    /// Resolves the collections and arrays in FROM and validates their clauses and aliases (Query 1.3).
    mutating func resolveSources() throws {
        guard select.sources.count <= Self.maximumSources else {
            throw QueryError.invalidQuery("a query can have at most \(Self.maximumSources) sources in FROM")
        }
        for (position, source) in select.sourcesOrDefault.enumerated() {
            let resolved =
                switch source.origin {
                case .collection(let path): try resolveCollection(path, source, isFirst: position == 0)
                case .query(let nested): try resolveQuery(nested, source, isFirst: position == 0)
                case .search(let search): try resolveSearch(search, source, isFirst: position == 0)
                case .unnest(let array): try resolveElements(of: array, source, isFirst: position == 0)
                }
            let alias = resolved.alias ?? ""
            guard !alias.isEmpty, !alias.unicodeScalars.contains(where: { $0 == "'" || $0 == "\"" || $0 == ":" }) else {
                throw QueryError.invalidQuery("invalid 'AS' alias '\(alias)'")
            }
            guard !scope.sources.contains(where: { alias.isExactly($0.alias) }) else {
                throw QueryError.invalidQuery("duplicate collection alias '\(alias)'")
            }
            scope.sources.append(resolved)
        }
    }

    /// Compiles a nested query in FROM. It cannot refer to the other sources, as in SQL, but to the queries around.
    private mutating func resolveQuery(_ nested: SelectStatement, _ source: Source, isFirst: Bool) throws -> ResolvedSource {
        try checkJoin(source, isFirst: isFirst)
        guard let alias = source.alias else { throw QueryError.invalidQuery("a nested query in FROM needs a name: (SELECT …) AS name") }
        var compiler = try SelectCompiler(nested, record: record, enclosing: enclosing, variables: context.variables, namesColumns: true)
        let titles = ColumnTitles.titles(of: compiler.select, in: compiler.scope)
        let rows = NestedRows(sql: try compiler.statement(hiddenColumns: []), titles: titles)
        queriesInFrom.append(compiler)
        return ResolvedSource(kind: .rows(rows), alias: alias, syntax: source)
    }

    func checkJoin(_ source: Source, isFirst: Bool) throws(QueryError) {
        if isFirst {
            guard source.condition == nil else { throw QueryError.invalidQuery("first FROM item cannot have an ON or UNNEST clause") }
        } else if source.join == .cross {
            guard source.condition == nil else { throw QueryError.invalidQuery("CROSS JOIN cannot accept an ON clause") }
        } else if source.condition == nil {
            throw QueryError.invalidQuery("FROM item needs an ON clause to be a join")
        }
    }

    private func resolveCollection(_ path: CollectionPath, _ source: Source, isFirst: Bool) throws -> ResolvedSource {
        try checkJoin(source, isFirst: isFirst)
        let table = try self.table(of: path)
        record.addTable(table)
        let isNamedByPath = source.alias == nil && path.scope != nil
        return ResolvedSource(
            kind: .documents(table),
            alias: source.defaultedAlias,
            scopedPath: isNamedByPath ? path : nil,
            syntax: source
        )
    }

    func table(of path: CollectionPath) throws -> SourceTable {
        let resolver = record.resolver
        if path.isDefaultCollection {
            if let table = try resolver.table(forCollection: .defaultCollection) { return table }
        } else if let name = path.name {
            guard Self.isValid(name), path.scope.map(Self.isValid) ?? true else {
                throw QueryError.invalidQuery("\"\(path)\" is not a valid collection name")
            }
            let complete = CollectionPath(scope: path.scope ?? "_default", name: name)
            if let table = try resolver.table(forCollection: complete) { return table }
            if path.scope == nil, name.isExactly(resolver.databaseName),
                let table = try resolver.table(forCollection: .defaultCollection)
            {
                return table
            }
        }
        throw QueryError.invalidQuery("no such collection \"\(path)\"", hint: try hint(for: path))
    }

    /// Returns the end of the message for a collection that does not exist: the one that is probably meant, and those there are.
    private func hint(for path: CollectionPath) throws -> String {
        let existing = try record.resolver.collectionPaths()
        let names = existing.map { $0.scope == "_default" ? $0.name ?? "" : $0.description }
        guard !names.isEmpty else { return "" }
        // The scope may be missing or wrong, so the names without scopes are compared too.
        let ends = existing.map { $0.name?.lowercased() ?? "" }
        let end = path.name?.lowercased() ?? ""
        let inOtherScope = (ends.firstIndex(of: end) ?? end.nearest(in: ends).flatMap(ends.firstIndex)).map { names[$0] }
        let meant = (path.description.nearest(in: names) ?? inOtherScope).map { "did you mean \($0)? " } ?? ""
        let more = names.count > 10 ? " and \(names.count - 10) more" : ""
        return "; \(meant)the collections are \(names.prefix(10).joined(separator: ", "))\(more)"
    }

    /// Returns whether a name has the form of a path component. The rules for collection names do not apply, because a database name may
    /// violate them.
    private static func isValid(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains(0)
    }

    private func resolveElements(of array: QueryExpression, _ source: Source, isFirst: Bool) throws -> ResolvedSource {
        guard !isFirst else { throw QueryError.invalidQuery("first FROM item cannot have an ON or UNNEST clause") }
        guard source.condition == nil else { throw QueryError.invalidQuery("FROM item cannot have both an ON and an UNNEST clause") }
        guard case .property(let path) = array else { throw QueryError.invalidQuery("UNNEST requires a property path") }
        guard let (index, rest) = scope.explicitSource(of: path) else { throw QueryError.undeclaredAlias(path) }
        var resolved = ResolvedSource(kind: .elements, alias: source.defaultedAlias, syntax: source)
        resolved.parent = (index, rest)
        let origin = scope.sources[index]
        switch origin.kind {
        case .documents(let table):
            resolved.arrayOrigin = (table, rest.encoded)
        case .elements, .arrayTable:
            resolved.arrayOrigin = origin.arrayOrigin.map { ($0.table, "\($0.path)[].\(rest.encoded)") }
        case .rows: break
        }
        // The rows of an array table refer to rows of the table of the level above, so that table must be used too.
        if let (table, arrayPath) = resolved.arrayOrigin, origin.canHaveArrayTable, !rest.isEmpty,
            let name = try record.resolver.arrayTable(forPath: arrayPath, in: table)
        {
            resolved.kind = .arrayTable(name)
            let parent = if case .arrayTable(let outer) = origin.kind { outer } else { table.liveTable }
            let (alias, conditions) = (resolved.alias ?? "", select.condition?.conjuncts ?? [])
            record.arrayTables.append(
                ArrayTableUse(
                    table: name,
                    store: table.storeName,
                    parent: parent,
                    path: rest.encoded,
                    rejectsNull: conditions.contains { $0.rejectsNull(as: alias) },
                    selectsPlainValues: conditions.contains { $0.selectsPlainValues(as: alias) }
                )
            )
        }
        return resolved
    }

    // MARK: FROM

    mutating func fromClause() throws -> String {
        if let search = form.rankedSearch, let match = matches.first, let main = scope.main {
            // SQLite does not reorder the tables of a CROSS JOIN.
            return try "\(search) CROSS JOIN \(fromItem(main, isFirst: true)) ON \(match.alias).docid = \(main.qualifier)rowid"
        }
        var sql = try leadingVectorSearches()
        for (position, source) in scope.sources.enumerated() {
            if position > 0 { sql += " " }
            sql += try fromItem(source, isFirst: position == 0) + joins(ofPredictionsFor: position)
        }
        for match in matches {
            let qualifier = scope.sources[match.source].qualifier
            sql +=
                " JOIN \(SQLText.identifier(match.table)) AS \(match.alias) ON \(match.alias).docid = \(qualifier)rowid"
        }
        return sql + (try trailingVectorSearches())
    }

    private mutating func fromItem(_ source: ResolvedSource, isFirst: Bool) throws -> String {
        let alias = SQLText.identifier(source.alias ?? "")
        switch source.kind {
        case .documents, .rows:
            let rows = self.rows(of: source)
            guard !isFirst else { return rows.sql + " AS \(alias)" + (form.isLimitedToRange || rows.ignoresIndexes ? " NOT INDEXED" : "") }
            var sql = "\((source.syntax.join ?? .inner).rawValue) JOIN \(rows.sql) AS \(alias)"
            if rows.ignoresIndexes { sql += " NOT INDEXED" }
            context.clause = .join
            let condition = try source.syntax.condition.map { "(\(try expression($0)))" }
            let conditions = [condition, source.liveFilter].compactMap(\.self)
            if !conditions.isEmpty { sql += " ON " + conditions.joined(separator: " AND ") }
            return sql
        case .elements:
            let array = try source.parent.map { try eachArguments(of: scope.sources[$0.index], at: $0.path) } ?? "NULL"
            return "JOIN fl_each(\(array)) AS \(alias)"
        case .arrayTable(let name):
            let qualifier = source.parent.map { scope.sources[$0.index].qualifier } ?? ""
            return "JOIN \(SQLText.identifier(name)) AS \(alias) ON \(alias).docid = \(qualifier)rowid"
        }
    }

    /// Returns the table in SQL, or a nested query if both live and deleted documents are needed.
    private func rows(of source: ResolvedSource) -> (sql: String, ignoresIndexes: Bool) {
        if case .rows(let nested) = source.kind { return ("(\(nested.sql))", false) }
        guard let table = source.table else { return ("", false) }
        let ignoresIndexes = record.resolver.ignoresIndexes(ofTable: table.liveTable)
        guard source.visibility != .live, let deletedTable = table.deletedTable else {
            return (SQLText.identifier(table.liveTable), ignoresIndexes)
        }
        if source.visibility == .deleted, !table.liveTableMayContainDeleted { return (SQLText.identifier(deletedTable), false) }
        let columns = "SELECT rowid, key, sequence, flags, version, body, expiration FROM "
        let live = SQLText.identifier(table.liveTable) + (ignoresIndexes ? " NOT INDEXED" : "")
        return ("(\(columns)\(live) UNION ALL \(columns)\(SQLText.identifier(deletedTable)))", false)
    }
}

extension SelectStatement {
    /// The sources; without FROM, the default collection under the alias `_doc`.
    var sourcesOrDefault: [Source] { sources.isEmpty && !hasNoSource ? [.collection(CollectionPath(), alias: "_doc")] : sources }
}

extension Source {
    /// The alias, or what takes its place if none is written; `nil` if nothing does.
    var defaultedAlias: String? {
        if let alias { return alias }
        return switch origin {
        case .collection(let path): path.description
        case .unnest(.property(let path)): path.lastKey
        case .search: SearchSource.functionName
        case .unnest, .query: nil
        }
    }
}

extension ResolvedSource {
    fileprivate var canHaveArrayTable: Bool {
        switch kind {
        // Array tables contain the elements of live documents only.
        case .documents, .arrayTable: true
        case .elements, .rows: false
        }
    }

    /// The condition that excludes deleted documents; `nil` if it is not needed (Query 5.1).
    var liveFilter: String? {
        guard visibility == .live, let table, table.liveTableMayContainDeleted else { return nil }
        return "(\(qualifier)flags & 1 = 0)"
    }
}
