import Base
package import DocumentStore
package import Fleece
import QueryLanguage
import SQLiteEngine
import VectorSearch

/// Documents of a lazy vector index for which the app computes vectors (Vector search 7).
package struct VectorUpdate: Sendable {
    /// What the app has decided about a document.
    package enum Result: Sendable {
        /// The document has this vector; `nil` if it has none.
        case vector([Float]?)
        /// The document is offered again.
        case skipped
    }

    /// A document that needs a vector.
    private struct Item: Sendable {
        let row: Int64
        let sequence: Int64
    }

    private let items: [Item]
    private let entry: VectorIndexEntry
    /// The sequence behind which the documents were searched.
    private let start: Int64
    /// The values from which vectors are computed, as an array.
    package let values: FleeceData
    /// The number of documents.
    package var count: Int { items.count }
    /// The sequence of the last document.
    package var lastSequence: Int64 { items.last?.sequence ?? 0 }
    /// The number of components that each vector must have.
    package var dimensions: Int { entry.options.dimensions }

    // MARK: Beginning

    /// Finds documents that need a vector, in the order of their last changes. Returns `nil` if there are none.
    ///
    /// - Parameters:
    ///   - index: The name of the index.
    ///   - limit: The maximum number of documents.
    ///   - sequence: The sequence of the last document of an update before this one, so that its skipped documents are not found again; 0, the
    ///     default, to find all.
    /// - Throws: ``QueryError``: `missingIndex` if there is no such index, `unsupported` if it is not a lazy vector index; `SQLiteError` if
    ///   reading the file fails.
    package static func begin(_ index: String, on collection: CollectionStore, limit: Int, after sequence: Int64 = 0) throws
        -> VectorUpdate?
    {
        let file = collection.databaseFile
        // The first transaction takes over an index of the original.
        if try isForeign(index, on: collection) { try file.transaction { _ in } }
        return try file.readWithKeys { context in
            guard let entry = try self.entry(index, on: collection, context.connection) else {
                let others = try RegistryTable.rows(of: collection, on: context.connection)
                guard others.contains(where: { $0.name.isExactly(index) }) else {
                    throw QueryError(.missingIndex, "the index \"\(index)\" does not exist")
                }
                throw QueryError(.unsupported, "the index \"\(index)\" is not a lazy vector index")
            }
            guard entry.options.isLazy else {
                throw QueryError(.unsupported, "the vector index \"\(index)\" is not lazy")
            }
            return try VectorUpdate(entry, collection, context, limit: limit, after: sequence)
        }
    }

    private static func isForeign(_ name: String, on collection: CollectionStore) throws -> Bool {
        try collection.databaseFile.read { context in
            guard try entry(name, on: collection, context.connection) == nil else { return false }
            return try OriginalVectorIndex.entries(on: context.connection).contains {
                $0.name.isExactly(name) && $0.store.isExactly(collection.tables.store)
            }
        }
    }

    private static func entry(_ name: String, on collection: CollectionStore, _ connection: Connection) throws -> VectorIndexEntry? {
        try VectorRegistry.entries(of: collection.tables.store, on: connection).first { $0.name.isExactly(name) }
    }

    private init?(_ entry: VectorIndexEntry, _ collection: CollectionStore, _ context: ConnectionContext, limit: Int, after sequence: Int64)
        throws
    {
        let statement = try context.connection.prepare(VectorExpression(entry, of: collection).sourcesOfUnset)
        defer { statement.finalize() }
        try statement.bind(max(sequence, entry.doneSequence), at: 1)
        var items: [Item] = []
        var encoder = Encoder()
        encoder.beginArray()
        while items.count < limit, try statement.step() {
            // MISSING needs no vector.
            if statement.isNull(at: 2) { continue }
            items.append(Item(row: statement.int64(at: 1), sequence: statement.int64(at: 0)))
            encoder.write(statement, column: 2)
        }
        encoder.endArray()
        if items.isEmpty { return nil }
        (self.items, self.entry, start) = (items, entry, max(sequence, entry.doneSequence))
        values = try encoder.finishedData()
    }

    // MARK: Finishing

    /// Stores what the app has decided, in one transaction. What concerns documents that have changed meanwhile is ignored.
    ///
    /// - Parameter results: One for each document. Vectors must have the right number of finite components.
    /// - Returns: The number of vectors that were stored.
    /// - Throws: ``QueryError`` of the kind `missingIndex` if the index was deleted or replaced; the errors of a transaction.
    @discardableResult
    package func finish(_ results: [Result], on collection: CollectionStore) throws -> Int {
        try collection.databaseFile.statement { writer in
            guard let current = try Self.entry(entry.name, on: collection, writer.connection),
                current.storedExpression.isExactly(entry.storedExpression),
                current.options == entry.options
            else { throw QueryError(.missingIndex, "the index \"\(entry.name)\" was deleted or replaced") }
            let index = try VectorIndexWriter(current, of: collection, writer)
            let stored = try store(results, in: index)
            try raiseDoneSequence(results, current, writer.connection)
            // Training changes how the index is read.
            writer.noteIndexChange()
            return stored
        }
    }

    private func store(_ results: [Result], in index: VectorIndexWriter) throws -> Int {
        var vectors: [(item: Item, vector: [Float])] = []
        for (item, result) in zip(items, results) {
            guard case .vector(let vector) = result, try index.sequence(ofRow: item.row) == item.sequence else { continue }
            if let vector { vectors.append((item, vector)) } else { try index.setNoVector(item.row, sequence: item.sequence) }
        }
        let (entries, buckets) = try index.coded(vectors.flatMap(\.vector))
        for (number, (item, _)) in vectors.enumerated() {
            if let place = try index.place(ofRow: item.row) { try index.bury(place) }
            try index.setLoose(item.row, bucket: buckets[number], entries[number], sequence: item.sequence)
        }
        if !vectors.isEmpty { try index.noteAdded(vectors.count) }
        return vectors.count
    }

    /// Notes up to which sequence no document needs a vector. A document that has changed meanwhile has a greater sequence.
    private func raiseDoneSequence(_ results: [Result], _ current: VectorIndexEntry, _ connection: Connection) throws {
        // Otherwise a document before the start was skipped, or has changed without a new sequence.
        guard current.doneSequence >= start, let last = items.last else { return }
        let skipped = zip(items, results).first { if case .skipped = $0.1 { true } else { false } }
        let done = skipped.map { $0.0.sequence - 1 } ?? last.sequence
        if done > current.doneSequence { try VectorRegistry.setDoneSequence(done, of: current, on: connection) }
    }
}

extension VectorIndexWriter {
    /// Returns the sequence of a live document; `nil` if there is none.
    fileprivate func sequence(ofRow row: Int64) throws -> Int64? {
        let statement = try connection.cachedStatement(expression.sequenceOfRow)
        defer { statement.reset() }
        try statement.bind(row, at: 1)
        return try statement.step() ? statement.int64(at: 0) : nil
    }

    /// Returns where the vector of a document is; `nil` if it is in no cell.
    fileprivate func place(ofRow row: Int64) throws -> (cell: Int64, slot: Int64)? {
        let statement = try connection.cachedStatement(
            "SELECT cell, slot FROM \(tables.rows.quotedIdentifier) WHERE docid = ? AND cell IS NOT NULL"
        )
        defer { statement.reset() }
        try statement.bind(row, at: 1)
        return try statement.step() ? (statement.int64(at: 0), statement.int64(at: 1)) : nil
    }

    /// Records that a document has no vector, until it changes.
    fileprivate func setNoVector(_ row: Int64, sequence: Int64) throws {
        if let found = try place(ofRow: row) { try bury(found) }
        let statement = try connection.cachedStatement(
            "INSERT OR REPLACE INTO \(tables.rows.quotedIdentifier) (docid, state, sequence) VALUES (?, 1, ?)"
        )
        defer { statement.reset() }
        try statement.bind(row, at: 1)
        try statement.bind(sequence, at: 2)
        try statement.run()
    }
}

extension Encoder {
    /// Writes a column of a statement that has the form of result rows.
    fileprivate mutating func write(_ statement: Statement, column: Int) {
        switch statement.columnType(column) {
        case .null: writeNull()
        case .integer: write(statement.int64(at: column))
        case .real: write(statement.double(at: column))
        case .text: write(utf8: statement.textBytes(at: column))
        case .blob:
            guard let value = Value(root: statement.blob(at: column)) else { return writeNull() }
            writeCopy(of: value, keys: .empty)
        }
    }
}
