/// A query as SQL text, with what is needed to run it and to read its rows (Query 0.1, 5).
package struct CompiledQuery: Sendable, Hashable {
    /// The SELECT statement. The parameter `$x` of the query is bound as `$_x`.
    package var sql: String

    /// The titles of the result columns, made unique, in order. Hidden columns have none.
    package var columnTitles: [String]

    /// How many columns stand before the first result column: none, or the row id of the main source and one text of
    /// match offsets for each full-text index used (Query 5.5).
    package var hiddenColumnCount: Int

    /// The names of the query's parameters without the dollar sign, in the order of their first use.
    package var parameterNames: [String]

    /// The collections the query reads, each once: what a live query watches.
    package var sources: [SourceTable]

    /// The full-text tables the query matches against, in the order of their hidden columns.
    package var fullTextTables: [String]
}
