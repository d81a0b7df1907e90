import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine

extension IndexRegistry {
    /// Rebuilds all indexes.
    ///
    /// - Throws: `inTransaction` in a batch; the errors of ``rebuild()`` and of REINDEX.
    package func rebuildAll() throws {
        // Checked first: what the first step did would be committed with the batch after the second one has failed.
        if file.isInTransaction { throw StoreError.inTransaction(path: file.bundle.directory) }
        try rebuild()
        try file.reindex()
    }

    /// Rebuilds from the documents what SQLite's REINDEX does not cover: the tables of array and full-text indexes, missing value indexes,
    /// and SQL indexes whose text differs from that of Couchbase Lite.
    ///
    /// The cost is that of creating all array and full-text indexes.
    package func rebuild() throws {
        for failure in try file.transaction({ try rebuildAll($0, reindexing: false) }) {
            EngineLog.log(.warning, .database, failure)
        }
    }

    /// Does the same as ``rebuild()`` inside a transaction; can also recompute the keys of value indexes. An index that cannot be created,
    /// because it contains something that this library does not support, is left unchanged.
    ///
    /// - Parameter reindexing: Whether SQL indexes with the correct text are rebuilt too.
    /// - Returns: The failures, to be logged after the transaction, because a log handler of the app must not be called inside it.
    func rebuildAll(_ writer: Writer, reindexing: Bool) throws -> [String] {
        let connection = writer.connection
        try writer.indexDeferredTexts()
        guard try RegistryTable.exists(on: connection) else {
            if reindexing { try reindexUnregistered(connection) }
            writer.noteIndexChange(ofAll: reindexing)
            return []
        }
        var failures: [String] = []
        for id in try file.collectionIDs() {
            guard let collection = try file.collection(id) else { continue }
            let indexes = try RegistryTable.rows(of: collection, on: connection)
            let arrays = indexes.filter { $0.kind == .array }
            failures += try attempt("the array indexes", of: collection, connection) {
                try rebuildArrays(arrays, of: collection, connection)
            }
            failures += try rebuildPredictions(indexes.filter { $0.kind == .predictive }, of: collection, connection)
            failures += try attempt("the vector indexes", of: collection, connection) { try rebuildVectors(of: collection, writer) }
            for index in indexes where index.kind != .array {
                failures += try attempt("index \"\(index.name)\"", of: collection, connection) {
                    try rebuild(index, of: collection, reindexing, connection)
                }
            }
        }
        // Otherwise it stays unknown whether the indexes that could not be rebuilt are current.
        if failures.isEmpty || !reindexing { writer.noteIndexChange(ofAll: reindexing) }
        return failures
    }

    private func rebuildArrays(_ indexes: [IndexInfo], of collection: CollectionStore, _ connection: Connection) throws {
        let layouts = try indexes.map { index -> (String, any IndexLayout) in
            guard let definition = index.definition else {
                throw QueryError.invalidQuery("the array path of index \"\(index.name)\" is unknown")
            }
            return (index.storedName, try IndexSpecification(definition).layout(on: collection))
        }
        for table in Set(exactly: indexes.compactMap(\.table)) {
            for name in IndexTables.levels(of: table.string).reversed().flatMap(IndexTables.possibleNames) {
                try IndexTables.drop(name, on: connection)
            }
        }
        for (name, layout) in layouts
        where try RegistryTable.sql(ofIndex: name, on: connection) == nil {
            try layout.create(named: name, on: connection)
        }
    }

    /// Rebuilds the predictive indexes, each table with those that share it, because each needs its model.
    private func rebuildPredictions(
        _ indexes: [IndexInfo],
        of collection: CollectionStore,
        _ connection: Connection
    ) throws -> [String] {
        try Set(exactly: indexes.compactMap(\.table)).sorted().flatMap { table in
            let sharing = indexes.filter { table.string.isExactly($0.table) }
            let names = sharing.map { "\"\($0.name)\"" }.joined(separator: ", ")
            return try attempt("the predictive indexes \(names)", of: collection, connection) {
                try PredictiveIndexLayout.rebuild(table.string, of: sharing, on: collection, connection)
            }
        }
    }

    private func rebuild(_ index: IndexInfo, of collection: CollectionStore, _ reindexing: Bool, _ connection: Connection) throws {
        switch index.kind {
        case .fullText: try FullTextIndexLayout.rebuild(index, of: collection, on: connection)
        case .value:
            guard let definition = index.definition else { return }
            let layout = try IndexSpecification(definition).layout(on: collection)
            let name = index.storedName.quotedIdentifier
            if try !layout.matches(index, on: connection) {
                try connection.execute("DROP INDEX IF EXISTS \(name)")
                try layout.create(named: index.storedName, on: connection)
            } else if reindexing {
                try connection.execute("REINDEX \(name)")
            }
        case .array, .predictive, .vector, nil: break
        }
    }

    /// Rebuilds the indexes of a file without a registry, whose definitions are not stored.
    private func reindexUnregistered(_ connection: Connection) throws {
        for index in try UnregisteredIndex.all(on: connection) {
            if let table = index.table?.quotedIdentifier {
                // Tokenizes the texts in the table again.
                try connection.execute("INSERT INTO \(table) (\(table)) VALUES ('rebuild')")
            } else {
                try connection.execute("REINDEX \(index.name.quotedIdentifier)")
            }
        }
    }

    /// Runs `body`, and rolls it back if it fails because of the index rather than the file or the disk.
    ///
    /// - Returns: The failure, if there is one, as an error message.
    private func attempt(
        _ what: String,
        of collection: CollectionStore,
        _ connection: Connection,
        _ body: () throws -> Void
    ) throws -> [String] {
        let failure: String
        do {
            try connection.savepoint("rebuilding", body)
            return []
        } catch let error as QueryError {
            failure = error.message
        } catch let error as SQLiteError where error.extendedCode == 1 {
            failure = error.message
        }
        return ["could not rebuild \(what) of collection \(collection.id.fullName): \(failure)"]
    }
}

extension IndexInfo {
    /// The expressions and the condition, in the language in which they were given.
    var source: IndexDefinition.Source {
        isSQL ? .text(expressions: expressions, condition: condition) : .json(expressions, condition: condition)
    }

    /// The specification of a full-text index, without its options, which only its table records.
    var fullTextSpecification: IndexSpecification {
        get throws { try IndexSpecification(IndexDefinition(name: name, kind: .fullText(FullTextIndexOptions()), source: source)) }
    }

    /// The definition from which the index can be created again; `nil` for kinds whose registry rows do not contain enough information.
    var definition: IndexDefinition? {
        switch kind {
        case .value:
            return IndexDefinition(name: name, source: source)
        case .array:
            guard let path = arrayPath else { return nil }
            return IndexDefinition(name: name, kind: .array(path: path), source: source)
        case .predictive:
            return IndexDefinition(name: name, kind: .predictive, source: source)
        case .vector:
            return vectorOptions.map { IndexDefinition(name: name, kind: .vector($0), source: source) }
        case .fullText, nil:
            return nil
        }
    }
}
