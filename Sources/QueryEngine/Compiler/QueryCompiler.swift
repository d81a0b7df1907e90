import ExactStrings

/// Translates a syntax tree to SQL (Query 5).
///
/// The same tree always results in the same text: the expressions of an index and of a query must be identical for SQLite to use the index.
/// The compiler accesses the database only through the resolver, to look up collections and indexes, so a call takes microseconds and needs
/// no transaction.
package enum QueryCompiler {
    /// Compiles a query.
    ///
    /// - Parameters:
    ///   - includesMatchInformation: Whether a query with a full-text match has hidden leading columns with the row ID and the offsets of
    ///     the matches, which cost time for every row. Default: `true`.
    ///   - hasSlowPatterns: Whether the values of ``CompiledQuery/patternParameters`` may be patterns for which SQLite's LIKE is slow.
    ///     Default: `false`.
    /// - Throws: ``QueryError``, or an error of the resolver.
    package static func compile(
        _ select: Select,
        resolver: any CollectionResolver,
        includesMatchInformation: Bool = true,
        hasSlowPatterns: Bool = false
    ) throws -> CompiledQuery {
        try select.checkDepth()
        let record = CompilationRecord(resolver: resolver, hasSlowPatterns: hasSlowPatterns)
        var compiler = try SelectCompiler(select, record: record)
        let hidden = includesMatchInformation ? compiler.matchInformation : []
        let sql = try compiler.statement(hiddenColumns: hidden)
        return CompiledQuery(
            sql: sql,
            columnTitles: ColumnTitles.titles(of: select, in: compiler.scope),
            hiddenColumnCount: hidden.count,
            parameterNames: record.parameterNames,
            sources: record.tables,
            fullTextTables: record.fullTextTables,
            patternParameters: record.patternParameters
        )
    }
}

/// The state that all parts of a query share, including nested queries.
final class CompilationRecord {
    let resolver: any CollectionResolver
    /// Whether the values of parameters may be patterns for which SQLite's LIKE is slow.
    let hasSlowPatterns: Bool
    private(set) var parameterNames: [String] = []
    private(set) var patternParameters: [String] = []
    private(set) var tables: [SourceTable] = []
    private(set) var fullTextTables: [String] = []

    init(resolver: any CollectionResolver, hasSlowPatterns: Bool = false) {
        self.resolver = resolver
        self.hasSlowPatterns = hasSlowPatterns
    }

    func noteParameter(_ name: String) {
        if !parameterNames.containsExactly(name) { parameterNames.append(name) }
    }

    func notePatternParameter(_ name: String) {
        if !patternParameters.containsExactly(name) { patternParameters.append(name) }
    }

    func noteTable(_ table: SourceTable) {
        if !tables.contains(table) { tables.append(table) }
    }

    /// Records a full-text table, and returns its alias in SQL.
    func noteFullTextTable(_ name: String) -> String {
        fullTextTables.append(name)
        return "fts\(fullTextTables.count)"
    }
}
