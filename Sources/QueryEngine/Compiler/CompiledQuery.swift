/// A query as SQL text, with the information needed to run it and to read its rows (Query 0.1, 5).
package struct CompiledQuery: Sendable, Hashable {
    /// The SELECT statement. The parameter `$x` of the query is bound as `$_x`.
    package var sql: String

    /// The titles of the result columns, made unique, in order. Hidden columns have none.
    package var columnTitles: [String]

    /// The number of hidden columns before the first result column: none, or one with the row ID of the source of the first match and one
    /// with match offsets for each full-text index used (Query 5.5).
    package var hiddenColumnCount: Int

    /// The names of the query's parameters without the dollar sign, in the order of their first use.
    package var parameterNames: [String]

    /// The collections that the query reads, without duplicates; a live query observes them.
    package var sources: [SourceTable]

    /// The full-text tables that the query searches, in the order of their hidden columns.
    package var fullTextTables: [String]

    /// The parameters that SQLite's own LIKE takes as patterns. If the value of one of them makes it slow
    /// (``LikePattern/isFastInSQLite(_:)``), the query is compiled without it.
    package var patternParameters: [String] = []
}
