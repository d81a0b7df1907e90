import DocumentStore
import QueryLanguage

/// A table or array that a statement reads under an alias.
struct PlannedSource {
    enum Kind: Hashable {
        /// The documents of a collection.
        case documents(SourceTable)
        /// The elements of an array, as written in UNNEST.
        case elements(array: String)
        /// The elements of an array, read from the table of an array index with this path.
        case indexedElements(array: String, path: String)
        /// The rows of a nested query.
        case rows
        /// A full-text index.
        case fullText(index: String, table: String, pattern: QueryExpression)
        /// The outputs of a predictive model for the documents of a collection, from the table with this name.
        case predictions(SourceTable, table: String)
        /// A vector index.
        case vectors(VectorSearchUse)
        /// The best documents of one half of a search in FROM, as words.
        case hits(String)
        /// The rows that a search in FROM has fused, as words.
        case fused(String)
    }

    let alias: String
    let kind: Kind
    /// The number of queries around the one that the source belongs to.
    let depth: Int

    /// Returns the sources of a query and of the queries nested in it.
    static func all(of select: SelectStatement, resolver: any CollectionResolver) throws -> [PlannedSource] {
        try QueryCompiler.resolvedQueries(in: select, resolver: resolver).flatMap { query in
            query.scope.sources.flatMap { [PlannedSource($0, depth: query.depth)] + parts(of: $0, depth: query.depth) }
                + query.matches.map {
                    PlannedSource(
                        alias: $0.alias,
                        kind: .fullText(index: $0.index, table: $0.table, pattern: $0.pattern),
                        depth: query.depth
                    )
                }
                + query.predictions.compactMap { stored in
                    query.scope.sources[stored.source].table.map {
                        PlannedSource(alias: stored.alias, kind: .predictions($0, table: stored.table), depth: query.depth)
                    }
                }
                + query.vectorSearches.map { PlannedSource(alias: $0.alias, kind: .vectors($0.use), depth: query.depth) }
        }
    }

    /// Returns the parts of a search in FROM.
    private static func parts(of source: ResolvedSource, depth: Int) -> [PlannedSource] {
        guard case .rows(let rows) = source.kind, let search = rows.search else { return [] }
        let text = search.source.textIndex
        let vector = search.source.vectorExpression.map { SQLPlusPlus.text(of: $0) ?? "an expression" }
        let halves = [text.map { "of the words in \($0)" }, vector.map { "of the vectors by \($0)" }].compactMap(\.self)
        let fused = halves.count > 1 ? "fuses the hits \(halves.joined(separator: " and those "))" : "reads the hits \(halves.joined())"
        return [
            PlannedSource(alias: search.rows, kind: .fused(fused), depth: depth),
            PlannedSource(alias: search.documents, kind: .documents(search.table), depth: depth),
            PlannedSource(alias: search.words, kind: .hits("finds the best documents for the words"), depth: depth),
            PlannedSource(alias: search.vectors, kind: .hits("finds the nearest documents"), depth: depth),
        ]
    }

    private init(alias: String, kind: Kind, depth: Int) { (self.alias, self.kind, self.depth) = (alias, kind, depth) }

    private init(_ source: ResolvedSource, depth: Int) {
        self.depth = depth
        alias = source.alias ?? ""
        var array = ""
        if case .unnest(let expression) = source.syntax.origin { array = SQLPlusPlus.text(of: expression) ?? "" }
        kind =
            switch source.kind {
            case .documents(let table): .documents(table)
            case .elements: .elements(array: array)
            case .rows: .rows
            case .arrayTable: .indexedElements(array: array, path: source.arrayOrigin?.path ?? "")
            }
    }
}

extension SourceTable {
    /// The collection's name for display; without the scope if it is the default scope.
    var collectionName: String {
        guard let id = CollectionID(storeName: storeName) else { return storeName }
        return id.scope == CollectionID.defaultName ? id.name : id.fullName
    }
}
