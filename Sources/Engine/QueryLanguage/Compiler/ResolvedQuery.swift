/// A SELECT whose names are resolved, for explanations of how it is run: the query itself, or one nested in it.
package struct ResolvedQuery {
    /// The query, as it is compiled.
    package let select: SelectStatement

    /// The sources of the query.
    package let scope: SourceScope

    /// The full-text indexes that the query searches, in the order of its MATCH tests.
    package let matches: [FullTextMatch]

    /// The tables of predictive indexes that the query reads.
    package let predictions: [StoredPrediction]
    /// The searches in vector indexes with their aliases in SQL.
    package let vectorSearches: [(alias: String, use: VectorSearchUse)]

    /// The number of queries around this one.
    package let depth: Int
}

extension QueryCompiler {
    /// Resolves the names of a query and of all queries nested in it, from the outermost on.
    ///
    /// - Throws: ``QueryError`` if a name denotes nothing, or an error of the resolver.
    /// - Complexity: Linear in the size of the query, plus the calls of the resolver.
    package static func resolvedQueries(in select: SelectStatement, resolver: any CollectionResolver) throws -> [ResolvedQuery] {
        var found: [ResolvedQuery] = []
        try SelectCompiler.forEachQuery(in: select, record: CompilationRecord(resolver: resolver)) { compiler, depth in
            found.append(
                ResolvedQuery(
                    select: compiler.select,
                    scope: compiler.scope,
                    matches: compiler.matches,
                    predictions: compiler.storedPredictions,
                    vectorSearches: compiler.vectorSearches.map { ($0.alias, $0.use) },
                    depth: depth
                )
            )
        }
        return found
    }
}
