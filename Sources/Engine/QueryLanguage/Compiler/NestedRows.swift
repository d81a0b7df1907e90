import Base

/// The rows of a query or a search in FROM. In SQL its columns are named c1, c2, … and have the form of result rows.
package struct NestedRows {
    var sql: String
    var titles: [String]
    /// The search that the rows are from; `nil` if they are those of a query.
    package var search: ResolvedSearch?

    /// Returns a column in SQL, and the path inside its value, for a path in a row that is not empty.
    ///
    /// - Parameter source: The source with these rows.
    /// - Throws: ``QueryError`` if there is no such column.
    func column(at path: PropertyPath, of source: ResolvedSource) throws(QueryError) -> (column: String, rest: PropertyPath) {
        guard let title = path.firstKey, let index = titles.firstIndex(where: { title.isExactly($0) }) else {
            let name = source.alias ?? ""
            let meant = path.firstKey?.nearest(in: titles).map { "did you mean \($0)? " } ?? ""
            let shown = titles.prefix(10).joined(separator: ", ") + (titles.count > 10 ? " and \(titles.count - 10) more" : "")
            let query =
                name == SelectStatement.combinedRows
                ? "the combined query" : search == nil ? "the nested query '\(name)'" : "the search '\(name)'"
            throw QueryError.invalidQuery(
                "\(query) has no column '\(path)'",
                hint: "; \(meant)its columns are \(shown)"
            )
        }
        return ("\(source.qualifier)c\(index + 1)", path.dropFirst())
    }

    /// Returns a whole row in SQL, as a dictionary of the columns by their titles.
    func dictionary(of source: ResolvedSource) throws(QueryError) -> String {
        let most = SelectCompiler.maximumArguments / 2
        guard titles.count <= most else {
            throw QueryError.invalidQuery(
                "a row of the nested query '\(source.alias ?? "")' has more than \(most) columns for a dictionary"
            )
        }
        let columns = titles.indices.map { "\(source.qualifier)c\($0 + 1)" }
        let entries = zip(titles, columns).map { "\(SQLText.literal($0)), \($1)" }
        let row = "dict_of(\(entries.joined(separator: ", ")))"
        guard source.syntax.join == .left || source.syntax.join == .leftOuter else { return row }
        // Without a match, the row is MISSING, and not empty.
        return "CASE WHEN \(columns.map { "\($0) IS NULL" }.joined(separator: " AND ")) THEN NULL ELSE \(row) END"
    }
}
