import Base

/// A query as SQL text, with the information needed to run it and to read its rows (Query 0.1, 5).
package struct CompiledQuery: Sendable, Hashable {
    /// The SELECT statement. The parameter `$x` of the query is bound as `$_x`.
    package var sql: String

    /// The titles of the result columns, made unique, in order. Hidden columns have none.
    package var columnTitles: [String]

    /// The columns whose values are documents that are written as `*`, if that is the only source, or as `source.*`. Tables show the
    /// properties of these documents in columns of their own.
    package var documentColumns: [Int] = []

    /// The number of hidden columns before the first result column: none, or one with the row ID of the source of the first match and one
    /// with match offsets for each full-text index used (Query 5.5).
    package var hiddenColumnCount: Int

    /// The names of the query's parameters without the dollar sign, in the order of their first use.
    package var parameterNames: [String]

    /// The collections that the query reads, without duplicates; a live query observes them.
    package var sources: [SourceTable]

    /// The tables of array indexes that the query reads.
    package var arrayTables: [ArrayTableUse] = []

    /// The searches in vector indexes, in the order of their first use.
    package var vectorSearches: [VectorSearchUse] = []

    /// Whether the query reads the expiration times of documents, which change without a change of the document.
    package var readsExpirations = false

    /// The full-text tables that the query searches, in the order of their hidden columns.
    package var fullTextTables: [String]

    /// The tables of predictive indexes that the query reads.
    package var predictionTables: [PredictionTableUse] = []

    /// The parameters that SQLite's own LIKE takes as patterns. If the value of one of them makes it slow
    /// (``SQLText/isFastPattern(_:)``), the query is compiled without it.
    package var patternParameters: [String] = []

    /// The table of the collection, if the query can be compiled for ranges of its rows (``QueryCompiler/compileRange(_:resolver:)``).
    package var rangeTable: String?

    /// If the query can be compiled for ranges and sorts the rows: the rows that it returns.
    package var sortedWindow: SortedWindow?

    /// Whether the query can be compiled so that matches are sorted before their documents are looked up
    /// (``QueryCompiler/compileRanked(_:resolver:hasSlowPatterns:indexExcludesDeleted:)``).
    package var sortsMatchesByRank = false
}

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
        _ select: SelectStatement,
        resolver: any CollectionResolver,
        includesMatchInformation: Bool = true,
        hasSlowPatterns: Bool = false
    ) throws -> CompiledQuery {
        try select.checkDepth()
        let record = CompilationRecord(resolver: resolver, hasSlowPatterns: hasSlowPatterns)
        var compiler = try SelectCompiler(select, record: record)
        let hidden = includesMatchInformation ? compiler.matchInformation : []
        let sql = try compiler.statement(hiddenColumns: hidden)
        let own = compiler.matches.map(\.table)
        let range = hasSlowPatterns ? nil : compiler.range
        return CompiledQuery(
            sql: sql,
            columnTitles: ColumnTitles.titles(of: compiler.select, in: compiler.scope),
            documentColumns: select.documentColumns,
            hiddenColumnCount: hidden.count,
            parameterNames: record.parameters.names,
            sources: record.tables,
            arrayTables: record.arrayTables,
            vectorSearches: record.vectorSearches,
            readsExpirations: record.readsExpirations,
            fullTextTables: own + record.fullTextTables.filter { !own.containsExactly($0) },
            predictionTables: record.predictionTables,
            patternParameters: record.patterns.names,
            rangeTable: range?.table,
            sortedWindow: range?.window,
            sortsMatchesByRank: hidden.isEmpty && compiler.sortsMatchesByRank
        )
    }

    /// The parameters of the first and the last row ID in statements for a range of rows. No parameter of a query has such a name, because
    /// those begin with an underscore.
    package static let rangeParameters = (first: "$first", last: "$last")

    /// Compiles a query that has a ``CompiledQuery/rangeTable`` to a statement that reads only the rows between two row IDs, without an index
    /// and in their order. Its parameters are those of the whole query, and the row IDs ``rangeParameters``. If the query has a
    /// ``CompiledQuery/sortedWindow``, the columns of the result follow those of the terms of ORDER BY, and the rows are the first ones in the
    /// range.
    ///
    /// - Throws: ``QueryError``, or an error of the resolver.
    package static func compileRange(_ select: SelectStatement, resolver: any CollectionResolver) throws -> String {
        var compiler = try SelectCompiler(select, record: CompilationRecord(resolver: resolver))
        return try compiler.rangeStatement(compiler.range?.window)
    }

    /// Compiles a query that ``CompiledQuery/sortsMatchesByRank`` to a statement with the same parameters and columns, which sorts the matches
    /// first.
    ///
    /// - Parameters:
    ///   - hasSlowPatterns: As for ``compile(_:resolver:includesMatchInformation:hasSlowPatterns:)``.
    ///   - indexExcludesDeleted: Whether the index contains no deleted documents.
    /// - Throws: ``QueryError``, or an error of the resolver.
    package static func compileRanked(
        _ select: SelectStatement,
        resolver: any CollectionResolver,
        hasSlowPatterns: Bool,
        indexExcludesDeleted: Bool
    ) throws -> String {
        let record = CompilationRecord(resolver: resolver, hasSlowPatterns: hasSlowPatterns)
        var compiler = try SelectCompiler(select, record: record)
        return try compiler.rankedStatement(indexExcludesDeleted: indexExcludesDeleted)
    }

    /// Compiles the rows that a query with GROUP BY groups, with some of their values as columns.
    ///
    /// - Returns: `nil` if one of the values is not a property of a document, or if the condition has another meaning without the columns of
    ///   the query, whose titles may hide properties.
    /// - Throws: ``QueryError``, or an error of the resolver.
    package static func compileGroupedRows(
        of select: SelectStatement,
        columns: [QueryExpression],
        resolver: any CollectionResolver
    ) throws -> CompiledQuery? {
        // Without the LIMIT, a search for the nearest vectors would be another one.
        if select.callsVectorDistance { return nil }
        let rows = SelectStatement(items: columns.map { SelectItem($0) }, sources: select.sources, condition: select.condition)
        var compiler = try SelectCompiler(rows, record: CompilationRecord(resolver: resolver))
        var grouping = try SelectCompiler(select, record: CompilationRecord(resolver: resolver))
        guard try columns.allSatisfy({ try compiler.isPropertyOfDocument($0) }), try compiler.rowClauses() == grouping.rowClauses() else {
            return nil
        }
        return try compile(rows, resolver: resolver)
    }

    /// Compiles expressions that depend on no document, as the columns of one row.
    ///
    /// - Throws: ``QueryError``, also if an expression contains a property.
    package static func compile(values: [QueryExpression], resolver: any CollectionResolver) throws -> CompiledQuery {
        for value in values { try value.checkDepth() }
        let record = CompilationRecord(resolver: resolver)
        for value in values { try record.noteMisreadNumbers(in: value) }
        var compiler = SelectCompiler(valuesOf: record)
        let columns = try compiler.columns(values.map { SelectItem($0) })
        return CompiledQuery(
            sql: "SELECT " + columns.joined(separator: ", "),
            columnTitles: values.indices.map { "$\($0 + 1)" },
            hiddenColumnCount: 0,
            parameterNames: record.parameters.names,
            sources: record.tables,
            arrayTables: record.arrayTables,
            fullTextTables: []
        )
    }
}

/// The state that all parts of a query share, including nested queries.
final class CompilationRecord {
    let resolver: any CollectionResolver
    /// Whether the values of parameters may be patterns for which SQLite's LIKE is slow.
    let hasSlowPatterns: Bool
    var parameters = DistinctNames()
    /// The parameters that are patterns of SQLite's own LIKE.
    var patterns = DistinctNames()
    private(set) var tables: [SourceTable] = []
    private(set) var fullTextTables: [String] = []
    var readsExpirations = false
    /// The floating-point literals whose decimal text SQLite reads as another number.
    var misreadNumbers: Set<Double> = []
    /// The tables of array indexes that the query reads.
    var arrayTables: [ArrayTableUse] = []
    /// The tables of predictive indexes that the query reads, in the order of their aliases.
    private(set) var predictionTables: [PredictionTableUse] = []
    /// The searches in vector indexes.
    var vectorSearches: [VectorSearchUse] = []
    /// The number of searches in FROM.
    var searchCount = 0

    /// The most bytes of SQL that all expressions of a query may have, where those inside of others count again. Names of sources and titles
    /// of columns stand for longer SQL wherever they are used, also in nested queries that other titles stand for, so a short text could
    /// otherwise describe SQL of any size.
    static let maximumCost = 128 << 20
    /// What compiling a query costs besides its expressions, in the same unit. A comparison of names counts as one byte.
    static let costOfQuery = 4096

    private var remainingCost: Int

    init(resolver: any CollectionResolver, hasSlowPatterns: Bool = false, maximumCost: Int = CompilationRecord.maximumCost) {
        self.resolver = resolver
        self.hasSlowPatterns = hasSlowPatterns
        remainingCost = maximumCost
    }

    /// Counts a part that has been compiled.
    ///
    /// - Throws: An error if all parts exceed the maximum.
    func count(_ cost: Int) throws(QueryError) {
        guard cost <= remainingCost else {
            throw .invalidQuery("the query is too large, with the expressions that its titles stand for")
        }
        remainingCost -= cost
    }

    /// Counts a part that has been compiled to SQL, and returns it.
    func counted(_ sql: String) throws(QueryError) -> String {
        try count(sql.utf8.count)
        return sql
    }

    func addTable(_ table: SourceTable) {
        if !tables.contains(table) { tables.append(table) }
    }

    /// Records the table of a predictive index, and returns its alias in SQL. No source has an alias with a colon.
    func addPredictionTable(_ table: String, store: String) -> String {
        predictionTables.append(PredictionTableUse(table: table, store: store))
        return "prediction:\(predictionTables.count)"
    }

    /// Records a full-text table, and returns its alias in SQL.
    func addFullTextTable(_ name: String) -> String {
        fullTextTables.append(name)
        return "fts\(fullTextTables.count)"
    }
}

/// Distinct names in the order in which they were added first.
struct DistinctNames {
    private(set) var names: [String] = []
    private var known: Set<ExactString> = []

    mutating func add(_ name: String) {
        if known.insert(ExactString(name)).inserted { names.append(name) }
    }
}
