import Base
package import DocumentStore
import QueryLanguage
import SQLiteEngine
import VectorSearch

/// Vector indexes, which have a registry of their own (Vector search 10.3).
extension IndexRegistry {
    /// Creates or replaces a vector index. Returns `false` if it already exists unchanged.
    func createVectors(
        _ name: String,
        on collection: CollectionStore,
        _ specification: IndexSpecification,
        _ options: VectorIndexOptions,
        _ progress: IndexProgress.Report?
    ) throws -> Bool {
        if let problem = options.problem { throw QueryError(.invalidParameter, problem) }
        guard specification.expressions.count == 1, specification.condition == nil else {
            throw QueryError.invalidQuery(
                specification.condition == nil
                    ? "a vector index requires exactly one expression" : "a vector index cannot have a condition"
            )
        }
        let entry = VectorIndexEntry(
            name: name,
            store: collection.tables.store,
            storedExpression: specification.storedExpressions,
            options: options,
            tables: VectorIndexTables(indexNamed: name, ofTable: collection.tables.liveName),
            generation: 0,
            doneSequence: 0
        )
        // Reports expressions that cannot be indexed before anything is changed.
        _ = try VectorExpression(entry, of: collection)
        return try file.transaction { writer in
            try writer.indexDeferredTexts()
            try writer.completeMaintainedIndexes()
            defer { writer.noteIndexChange() }
            return try writer.connection.savepoint("index") { try replace(entry, on: collection, writer, progress) }
        }
    }

    private func replace(
        _ entry: VectorIndexEntry,
        on collection: CollectionStore,
        _ writer: Writer,
        _ progress: IndexProgress.Report?
    ) throws -> Bool {
        let connection = writer.connection
        try RegistryTable.create(on: connection)
        try IndexFormat.noteBeforeFirstIndex(on: connection)
        let existing = try vectorEntry(entry.name, on: collection, connection)
        if let existing, existing.options == entry.options, let expression = try? existing.expression,
            expression.isSameIndexed(as: try entry.expression)
        {
            return false
        }
        if let other = try RegistryTable.rows(of: collection, on: connection).first(where: { $0.name.isExactly(entry.name) }) {
            try RegistryTable.drop(other, on: connection)
        }
        try dropVectors(entry.name, on: collection, connection)
        try VectorRegistry.insert(entry, on: connection)
        do {
            try VectorIndexWriter(entry, of: collection, writer).rebuild(progress: progress)
        } catch let error as SQLiteError {
            throw QueryError(error) ?? error
        }
        return true
    }

    /// Drops the vector index of a name, if there is one. Returns whether there was.
    @discardableResult
    func dropVectors(_ name: String, on collection: CollectionStore, _ connection: Connection) throws -> Bool {
        guard let entry = try vectorEntry(name, on: collection, connection) else { return false }
        try VectorRegistry.drop(entry, on: connection)
        return true
    }

    private func vectorEntry(_ name: String, on collection: CollectionStore, _ connection: Connection) throws -> VectorIndexEntry? {
        try VectorRegistry.entries(of: collection.tables.store, on: connection).first { $0.name.isExactly(name) }
    }

    /// Rebuilds the vector indexes of a collection. Lazy ones, whose vectors only the app knows, stay as they are unless they are damaged.
    func rebuildVectors(of collection: CollectionStore, _ writer: Writer) throws {
        let store = collection.tables.store
        try VectorRegistry.repairRows(of: store, liveTable: collection.tables.liveName, on: writer.connection)
        for entry in try VectorRegistry.entries(of: store, on: writer.connection) {
            let index = try VectorIndexWriter(entry, of: collection, writer)
            if entry.options.isLazy {
                if try index.isComplete, try VectorIndexChecker(entry, of: collection, on: writer.context).problems().isEmpty { continue }
                writer.logAfterTransaction(
                    .warning,
                    "the lazy vector index \"\(entry.name)\" was damaged and has lost its vectors: all documents need new ones"
                )
            }
            try index.rebuild(progress: nil)
        }
    }

    /// What a vector index contains.
    package struct VectorState: Sendable, Hashable {
        /// The number of documents that have a vector.
        package let vectorCount: Int
        /// Whether the index is trained.
        package let isTrained: Bool
    }

    /// Returns what a vector index contains; `nil` if there is no such index, or if it is a lazy one of the original.
    ///
    /// - Complexity: O(*n*), where *n* is the number of vectors.
    package func vectorState(of name: String, on collection: CollectionStore) throws -> VectorState? {
        try file.read { context in
            let entries = try VectorRegistry.searchableEntries(of: collection.tables.store, on: context.connection)
            guard let entry = entries.first(where: { $0.name.isExactly(name) }) else { return nil }
            let count = try VectorIndexReader(entry: entry, context: context).vectorCount()
            return VectorState(vectorCount: count, isTrained: entry.isTrained)
        }
    }
}
