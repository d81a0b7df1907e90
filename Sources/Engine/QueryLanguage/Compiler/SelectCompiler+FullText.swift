import Base

/// A full-text index that the query searches.
package struct FullTextMatch {
    /// The name of the index as written, possibly with an alias before it.
    package var index: String
    /// The name of the table of the index.
    package var table: String
    /// The alias of the table in SQL.
    package var alias: String
    /// The position of the source that the index belongs to.
    var source: Int
    /// What is searched for.
    package var pattern: QueryExpression
    /// The only column to search; `nil` to search all columns.
    var searchedColumn: String?

    /// The hidden column that represents the whole table.
    var column: String { "\(alias).\(SQLText.identifier(table))" }
}

extension SelectCompiler {
    /// The hidden leading columns with the positions of the matches. Empty if the rows of the query are not single documents.
    var matchInformation: [String] {
        guard let first = matches.first, !select.isDistinct, !select.isGrouped, select.combinations.isEmpty else { return [] }
        return ["\(scope.sources[first.source].qualifier)rowid"] + matches.map { "offsets(\($0.column))" }
    }

    /// Resolves the MATCH tests, which are allowed only at the top level of WHERE or in a top-level AND (Query 6.4).
    mutating func resolveMatches() throws {
        for case .match(let index, let pattern) in select.condition?.conjuncts ?? [] {
            guard let (source, table, column) = try fullTextTable(of: index) else {
                throw QueryError(.missingIndex, "'match' test requires a full-text index")
            }
            guard !matches.contains(where: { $0.table.isExactly(table) && $0.source == source }) else {
                throw QueryError.invalidQuery("Sorry, multiple MATCHes of the same property are not allowed")
            }
            let alias = record.addFullTextTable(table)
            matches.append(
                FullTextMatch(index: index, table: table, alias: alias, source: source, pattern: pattern, searchedColumn: column)
            )
        }
    }

    /// Returns the source and the table of an index named as `index` or `alias.index`. If there is none, returns the index that contains a
    /// property of that name, with the column to search if the index has other columns too (Query 8.3).
    private func fullTextTable(of name: String) throws -> (source: Int, table: String, column: String?)? {
        let candidates = scope.sources.enumerated().compactMap { position, source in
            source.table.map { (position: position, table: $0, prefixes: scope.prefixes(ofSourceAt: position)) }
        }
        // First in the sources named by a prefix, then in all sources.
        let named = candidates.flatMap { candidate in
            candidate.prefixes.filter { name.utf8.starts(with: $0.utf8) }
                .map {
                    (candidate.position, candidate.table, String(decoding: name.utf8.dropFirst($0.utf8.count), as: UTF8.self))
                }
        }
        let lookups = named + candidates.map { ($0.position, $0.table, name) }
        for (position, table, index) in lookups {
            if let found = try record.resolver.fullTextTable(ofIndex: index, in: table) {
                return (position, found, nil)
            }
        }
        for (position, table, text) in lookups {
            guard let path = try? PropertyPath(encoded: text), !path.isEmpty,
                let found = try record.resolver.fullTextColumn(of: path, in: table)
            else { continue }
            return (position, found.table, found.isOnly ? nil : found.name)
        }
        return nil
    }

    /// Compiles MATCH as an operand. It is allowed only where ``resolveMatches()`` finds it.
    mutating func matchSQL(index: String, pattern: QueryExpression, isAtTop: Bool) throws -> String {
        guard isAtTop, let match = matches.first(where: { $0.index.isExactly(index) }) else {
            throw QueryError.invalidQuery("MATCH can only appear at top-level, or in a top-level AND")
        }
        let column = match.searchedColumn.map { "\(match.alias).\(SQLText.identifier($0))" } ?? match.column
        let text = try with({ $0.isInPattern = true }) { try $0.expression(pattern) }
        let expansion = try record.resolver.expansion(ofFullTextTable: match.table)
        let isExpanded = expansion != .none || pattern.containsFuzzy
        let table = isExpanded ? ", \(SQLText.literal(match.table))\(expansion == .all ? ", 1" : "")" : ""
        return "\(column) MATCH fl_pattern(\(text)\(table))"
    }

    /// Returns the search of an index, given by its name; `nil` if the query does not search it.
    func searchedMatch(of index: String) throws -> FullTextMatch? {
        guard let target = try fullTextTable(of: index) else { return nil }
        return matches.first { $0.table.isExactly(target.table) && $0.source == target.source }
    }

    func rankSQL(index: String) throws -> String {
        guard let match = try searchedMatch(of: index) else {
            throw QueryError.invalidQuery("rank() can only be called on FTS indexes")
        }
        return "rank(matchinfo(\(match.column)))"
    }
}

extension QueryExpression {
    /// Whether the pattern of a search calls `fuzzy()`.
    var containsFuzzy: Bool {
        contains { if case .function(let name, _) = $0 { QueryFunction.named(name) == .fuzzy } else { false } }
    }
}
