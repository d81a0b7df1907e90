import Base
package import DocumentStore
import QueryLanguage
import SQLiteEngine

/// The indexes of a database: the table `indexes`, and the SQL indexes that it lists (Storage format 5).
package struct IndexRegistry {
    let file: DatabaseFile

    /// Creates the registry of a file. Reads nothing.
    package init(_ file: DatabaseFile) { self.file = file }

    // MARK: Listing

    /// Returns the indexes of a collection, sorted by name, including kinds that this library cannot create.
    package func indexes(of collection: CollectionStore) throws -> [IndexInfo] {
        try file.read { context in
            let rows = try OriginalVectorIndex.described(RegistryTable.rows(of: collection, on: context.connection), context.connection)
            let vectors = try VectorRegistry.entries(of: collection.tables.store, on: context.connection).map(\.info)
            return (rows + vectors).sorted { $0.name.isOrderedBefore($1.name) }
        }
    }

    // MARK: Changing

    /// Creates an index and fills it from the existing documents. If an index of that name with the same definition exists, does nothing;
    /// any other index of that name is replaced. If the creation fails, the old index is kept.
    ///
    /// - Parameter progress: Called with about how many documents were indexed, and the number of all; it may throw to stop.
    /// - Throws: ``QueryError``: `invalidParameter` if the name is empty, contains a double quote or NUL, or is in use elsewhere in the
    ///   file together with its qualified form; `invalidQuery` if the expressions cannot be indexed, or call a mathematical function that
    ///   Couchbase Lite cannot compute for an existing document (Query 5.13).
    package func create(
        _ definition: IndexDefinition,
        on collection: CollectionStore,
        progress: ((Int, _ total: Int) throws -> Void)? = nil
    ) throws {
        guard !definition.name.isEmpty else { throw QueryError(.invalidParameter, "Index name must not be empty") }
        guard !definition.name.utf8.contains(UInt8(ascii: "\"")), !definition.name.utf8.contains(0) else {
            throw QueryError(.invalidParameter, "Index name must not contain the double quote (\") character")
        }
        let specification = try IndexSpecification(definition)
        if case .vector(let options) = definition.kind {
            if try createVectors(definition.name, on: collection, specification, options, progress) {
                log("created", definition.name, collection)
            }
            return
        }
        let layout = try specification.layout(on: collection)
        let isNew = try file.transaction { writer in
            try writer.indexDeferredTexts()
            // The transaction may belong to the caller, who may continue after an error.
            defer { writer.noteIndexChange() }
            return try writer.connection.savepoint("index") {
                try replace(definition.name, on: collection, specification, layout, writer.context, progress)
            }
        }
        if isNew { log("created", definition.name, collection) }
    }

    /// Creates or replaces an index. Returns `false` if the index already exists unchanged.
    private func replace(
        _ name: String,
        on collection: CollectionStore,
        _ specification: IndexSpecification,
        _ layout: any IndexLayout,
        _ context: ConnectionContext,
        _ progress: IndexProgress.Report?
    ) throws -> Bool {
        let connection = context.connection
        try RegistryTable.create(on: connection)
        try IndexFormat.noteBeforeFirstIndex(on: connection)
        if let existing = try RegistryTable.rows(of: collection, on: connection).first(where: {
            $0.name.isExactly(name)
        }) {
            if existing.kind == layout.kind, try layout.matches(existing, on: connection) { return false }
            try RegistryTable.drop(existing, on: connection)
        }
        try dropVectors(name, on: collection, connection)
        let storedName = try self.storedName(of: name, on: collection, connection)
        context.evaluation.isCreatingIndex = true
        defer { context.evaluation.isCreatingIndex = false }
        do {
            let progress = try progress.map { try IndexProgress(of: collection.tables, on: connection, $0) } ?? .none
            try layout.create(named: storedName, on: connection, progress)
        } catch let error as SQLiteError {
            throw QueryError(creatingIndex: error) ?? error
        }
        try RegistryTable.insert(specification, layout, named: storedName, on: collection, connection)
        return true
    }

    /// Deletes an index of any kind, with its tables and triggers. Does nothing if the index does not exist.
    package func delete(_ name: String, on collection: CollectionStore) throws {
        let existed = try file.transaction { writer in
            try writer.indexDeferredTexts()
            let hadVectors = try dropVectors(name, on: collection, writer.connection)
            let existing = try RegistryTable.rows(of: collection, on: writer.connection).first { $0.name.isExactly(name) }
            if let existing { try RegistryTable.drop(existing, on: writer.connection) }
            guard hadVectors || existing != nil else { return false }
            writer.noteIndexChange()
            return true
        }
        if existed { log("deleted", name, collection) }
    }

    func log(_ done: String, _ name: String, _ collection: CollectionStore) {
        EngineLog.log(
            .info,
            .database,
            "\(done) index \"\(name)\" of collection \(collection.id.fullName) of the database at \(file.bundle.directory)"
        )
    }

    /// Returns the name in the file, where names are unique across collections: the plain name if it is free; otherwise the name with the
    /// full name of the collection before it (API 19, decision 8).
    ///
    /// - Throws: ``QueryError`` (`invalidParameter`) if both are in use.
    private func storedName(of name: String, on collection: CollectionStore, _ connection: Connection) throws -> String {
        if !RegistryTable.isQualified(name, in: collection.id), try !RegistryTable.isTaken(name, on: connection) { return name }
        let qualified = RegistryTable.qualifiedName(name, in: collection.id)
        guard try !RegistryTable.isTaken(qualified, on: connection) else {
            throw QueryError(
                .invalidParameter,
                "the database already has an index, table or trigger named \"\(name)\", and one named \"\(qualified)\""
            )
        }
        return qualified
    }
}

extension DatabaseFile.Options {
    /// Enables indexes and queries for a file. Required for every file that may have indexes, also for reading.
    package mutating func supportQueries() {
        prepare = { try QueryFunctions.register(on: $0) }
        indexes = IndexSupport(
            check: { collection, context in try IndexChecker(collection, on: context).findings() },
            rebuild: { file, writer in try IndexRegistry(file).rebuildAll(writer, reindexing: true) },
            deferredTexts: { collection, context in try DeferredFullTextIndexes(collection, on: context.connection) },
            rebuildFullText: { table, collection, context in
                let indexes = try RegistryTable.rows(of: collection, on: context.connection)
                guard let index = indexes.first(where: { table.isExactly($0.table) }) else { return }
                guard index.kind == .predictive else {
                    return try FullTextIndexLayout.rebuild(index, of: collection, on: context.connection)
                }
                let sharing = indexes.filter { table.isExactly($0.table) }
                try PredictiveIndexLayout.rebuild(table, of: sharing, on: collection, context.connection)
            },
            maintained: { file, writer in try VectorIndexMaintenance(file, writer) },
            dependencies: .ofQueries
        )
    }
}
