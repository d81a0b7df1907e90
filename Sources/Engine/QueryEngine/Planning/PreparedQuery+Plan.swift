import Base
package import DocumentStore
import QueryLanguage
import SQLiteEngine

extension PreparedQuery {
    /// Returns the plan of the query in words, for the current indexes, and the indexes that would help. Counts the documents of all
    /// collections that the query reads.
    ///
    /// - Throws: ``QueryError`` if the query is no longer valid; `SQLiteError` if reading the file fails.
    package func plan(on file: DatabaseFile) throws -> PlanDescription {
        // The thread keeps its connection, so everything is read from one snapshot.
        try file.readWithKeys { try currentPlan(on: file, $0) }
    }

    private func currentPlan(on file: DatabaseFile, _ context: ConnectionContext) throws -> PlanDescription {
        let connection = context.connection
        _ = try current(on: file, context)
        let resolver = self.resolver(on: file)
        let compiled = try QueryCompiler.compile(select, resolver: resolver, includesMatchInformation: false)
        let nodes = try PlanNode.plan(of: compiled.sql, on: connection)
        let registry = IndexRegistry(file)
        let collections = try compiled.sources.compactMap { table -> PlanDescriber.CollectionFacts? in
            guard let id = CollectionID(storeName: table.storeName), let collection = try file.collection(id) else { return nil }
            return PlanDescriber.CollectionFacts(
                table: table,
                indexes: try registry.indexes(of: collection),
                documentCount: try collection.count()
            )
        }
        let describer = PlanDescriber(
            select: select,
            sources: try PlannedSource.all(of: select, resolver: resolver),
            collections: collections,
            incompatibleTables: try Self.incompatibleTables(on: connection),
            expansion: { (try? PatternExpansion.description(of: $1, in: $0, on: context)) ?? "" }
        )
        let isRanked = try RankedSearch.statement(of: select, compiled, resolver, context, hasSlowPatterns: false) != nil
        let advisor = IndexAdvisor(select: select, file: file, databaseName: databaseName)
        return PlanDescription(
            steps: isRanked ? describer.rankedSteps(nodes) : describer.steps(nodes),
            // An index that is not current is not used, but need not be created; another index with the same keys would not be used either.
            advice: resolver.outdatedIndexes.isEmpty && resolver.inexactIndexes.isEmpty ? try advisor.advice(on: nodes) : []
        )
    }

    /// Returns the tables of full-text indexes whose text is split into words by dictionary, which Couchbase Lite does not support (Query
    /// 6.9).
    private static func incompatibleTables(on connection: Connection) throws -> Set<ExactString> {
        Set(
            exactly: try connection.texts(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND instr(sql, ?)",
                FullTextLanguage.wordBreaksMark
            )
        )
    }
}
