import ExactStrings

/// Translates a syntax tree to SQL (Query 5).
///
/// The same tree always gives the same text: expressions of an index and of a query have to agree letter by letter for
/// SQLite to find the index. The compiler looks up collections and indexes through the resolver and does nothing else
/// with the database, so one call costs microseconds and needs no transaction.
package enum QueryCompiler {
    /// Compiles a query.
    ///
    /// - Parameter includesMatchInformation: Whether a query with a full-text match gets hidden columns in front, with the
    ///   row id and the offsets of the matches. They cost time for every row.
    /// - Throws: ``QueryError``, or what the resolver throws.
    package static func compile(
        _ select: Select,
        resolver: any CollectionResolver,
        includesMatchInformation: Bool = true
    ) throws -> CompiledQuery {
        try select.checkDepth()
        let record = CompilationRecord(resolver: resolver)
        var compiler = try SelectCompiler(select, record: record)
        let hidden = includesMatchInformation ? compiler.matchInformation : []
        let sql = try compiler.statement(hiddenColumns: hidden)
        return CompiledQuery(
            sql: sql,
            columnTitles: ColumnTitles.titles(of: select, in: compiler.scope),
            hiddenColumnCount: hidden.count,
            parameterNames: record.parameterNames,
            sources: record.tables,
            fullTextTables: record.fullTextTables
        )
    }
}

/// What the parts of one query, nested queries included, have in common.
final class CompilationRecord {
    let resolver: any CollectionResolver
    private(set) var parameterNames: [String] = []
    private(set) var tables: [SourceTable] = []
    private(set) var fullTextTables: [String] = []

    init(resolver: any CollectionResolver) {
        self.resolver = resolver
    }

    func noteParameter(_ name: String) {
        if !parameterNames.containsExactly(name) { parameterNames.append(name) }
    }

    func noteTable(_ table: SourceTable) {
        if !tables.contains(table) { tables.append(table) }
    }

    /// Returns the alias of the table in SQL.
    func noteFullTextTable(_ name: String) -> String {
        fullTextTables.append(name)
        return "fts\(fullTextTables.count)"
    }
}
