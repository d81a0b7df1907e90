package import DocumentStore

extension PreparedQuery {
    /// How the query would be run now, in words, and which indexes would help. Counts the documents of the collections that it reads.
    ///
    /// - Throws: ``QueryError`` when the query makes no sense any more; what SQLite reports of the file.
    package func plan(on file: DatabaseFile) throws -> PlanDescription {
        let resolver = StoreResolver(file: file, databaseName: databaseName)
        let compiled = try QueryCompiler.compile(select, resolver: resolver, includesMatchInformation: false)
        let nodes = try file.read { try PlanNode.plan(of: compiled.sql, on: $0.connection) }
        let registry = IndexRegistry(file)
        let collections = try compiled.sources.compactMap { table -> PlanNarrator.CollectionFacts? in
            guard let id = CollectionID(storeName: table.storeName), let collection = try file.collection(id) else {
                return nil
            }
            return PlanNarrator.CollectionFacts(
                table: table,
                indexes: try registry.indexes(of: collection),
                documentCount: try collection.count()
            )
        }
        let narrator = PlanNarrator(
            select: select,
            sources: try PlannedSource.all(of: select, resolver: resolver),
            collections: collections
        )
        let advisor = IndexAdvisor(select: select, file: file, databaseName: databaseName)
        return PlanDescription(steps: narrator.steps(nodes), advice: try advisor.advice(on: nodes))
    }
}
