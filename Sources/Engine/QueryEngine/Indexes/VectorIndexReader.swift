import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine
import VectorSearch

/// Reads a vector index on one connection.
struct VectorIndexReader {
    let entry: VectorIndexEntry
    let context: ConnectionContext
    /// The statements of a search; `nil` if they are not known yet.
    var sql: VectorSearchSQL?

    private var connection: Connection { context.connection }
    private var rows: String { entry.tables.rows.quotedIdentifier }

    // MARK: Model

    /// Returns what training has found; `nil` if the index is not trained.
    ///
    /// - Throws: ``VectorIndexDamage`` if the stored model is not one of this index, or if the index is not kept in step with the documents.
    func model() throws -> VectorModel? {
        if entry.isDamaged { throw VectorIndexDamage(Self.unrepaired) }
        guard entry.isTrained else { return nil }
        let cache = context.file?.indexCache
        if let known = cache?.value(of: entry.tables.name, number: entry.generation) as? VectorModel, known.options == entry.options {
            return known
        }
        let model = try VectorModel(try storedModel(), options: entry.options)
        cache?.set(model, of: entry.tables.name, number: entry.generation, size: model.memorySize)
        return model
    }

    /// What is wrong with a damaged index.
    static let unrepaired = "its tables could not be made anew"

    private func storedModel() throws -> [UInt8] {
        let expected = VectorModel.encodedSize(entry.options)
        let statement = try connection.cachedStatement("SELECT data FROM \(entry.tables.model.quotedIdentifier) ORDER BY part")
        defer { statement.reset() }
        var bytes: [UInt8] = []
        while try statement.step() {
            let part = statement.blob(at: 0)
            // The file may contain any number of parts.
            guard bytes.count + part.count <= expected else { throw VectorIndexDamage("its model is larger than \(expected) bytes") }
            bytes += part
        }
        return bytes
    }

    // MARK: Searching

    /// Adds the distances of vectors from a target.
    ///
    /// - Parameter probes: The number of buckets to look at, if the index is trained; `nil` for all.
    func search(_ vector: [Float], probes: Int?, into heap: inout NearestHeap) throws {
        if entry.isForeign { return try searchDocuments(VectorTarget(vector, entry.options, nil), into: &heap) }
        let model = try self.model()
        let sql = self.sql ?? VectorSearchSQL(entry.tables)
        let target = VectorTarget(vector, entry.options, model)
        let dirty = try dirtyRows(sql)
        let layout = VectorCell.Layout(model, entry.options)
        var scan = Scan(target: target, layout: layout, excluded: Set(dirty), dead: try deadPlaces(sql), heap: heap)
        if let model, let probes {
            let buckets = model.probedBuckets(for: vector, count: probes)
            let statement = try connection.cachedStatement(sql.cellsOfBucket)
            for bucket in buckets {
                try statement.bind(bucket, at: 1)
                try scanCells(statement, &scan)
            }
            try scanLoose(sql, in: Set(buckets.map(Int64.init)), &scan)
        } else {
            try scanCells(try connection.cachedStatement(sql.cellsOfAllBuckets), &scan)
            try scanLoose(sql, in: nil, &scan)
        }
        // Vectors that are not coded, or not yet.
        scan.layout = VectorCell.Layout(untrained: entry.options)
        let raw = try connection.cachedStatement(sql.cellsOfBucket)
        try raw.bind(-1, at: 1)
        try scanCells(raw, &scan)
        if model == nil, scan.count >= entry.options.effectiveMinimum { trainSoon() }
        heap = scan.heap
        if !dirty.isEmpty { try addDocuments(dirty, target, model, into: &heap) }
    }

    /// Has the index trained, which has enough vectors: a process has ended before it did that, or another one that cannot.
    private func trainSoon() {
        let training = VectorTraining(of: entry.tables.name)
        context.file?.scheduleIndexWork(entry.tables.name, limit: VectorTraining.limit) { try training.run(on: $0) }
    }

    /// The state of a search.
    private struct Scan {
        let target: VectorTarget
        var layout: VectorCell.Layout
        /// The documents that have changed since they were indexed.
        let excluded: Set<Int64>
        /// Finds a place that does not count; `nil` if all count.
        let dead: Statement?
        var heap: NearestHeap
        /// The number of vectors so far.
        var count = 0

        mutating func add(_ view: VectorCell.View, cell: Int64) {
            count += view.count
            let (excluded, dead) = (excluded, dead)
            view.scan(target, into: &heap) { slot in
                if !excluded.isEmpty, excluded.contains(view.row(at: slot)) { return false }
                guard let dead else { return true }
                defer { dead.reset() }
                do {
                    try dead.bind(cell, at: 1)
                    try dead.bind(slot, at: 2)
                    return try !dead.step()
                } catch {
                    // The next statement reports the error.
                    return false
                }
            }
        }

        /// Adds one vector, given by its norm and code, or by its components.
        mutating func add(_ entry: [UInt8], row: Int64) throws {
            let bytes = VectorCell.encode(rows: [row], entries: [entry], layout)
            try bytes.withUnsafeBytes { add(try VectorCell.View($0, count: 1, layout), cell: 0) }
        }
    }

    private func deadPlaces(_ sql: VectorSearchSQL) throws -> Statement? {
        guard try connection.scalar(sql.anyDead) != nil else { return nil }
        return try connection.cachedStatement(sql.isDead)
    }

    private func scanCells(_ statement: Statement, _ scan: inout Scan) throws {
        defer { statement.reset() }
        while try statement.step() {
            if context.connection.handle.isInterrupted { return }
            let view = try VectorCell.View(statement.blob(at: 2), count: statement.int64(at: 1), scan.layout)
            scan.add(view, cell: statement.int64(at: 0))
        }
    }

    /// Scans the vectors that are not in a cell yet.
    private func scanLoose(_ sql: VectorSearchSQL, in buckets: Set<Int64>?, _ scan: inout Scan) throws {
        let statement = try connection.cachedStatement(sql.loose)
        defer { statement.reset() }
        while try statement.step() {
            if let buckets, !buckets.contains(statement.int64(at: 1)) { continue }
            let entry = Array(statement.blob(at: 2))
            guard entry.count == scan.layout.entrySize else { throw VectorIndexDamage("a code has \(entry.count) bytes") }
            try scan.add(entry, row: statement.int64(at: 0))
        }
    }

    // MARK: Changed documents

    /// Returns the documents that another program has changed. The next transaction of this library indexes them.
    private func dirtyRows(_ sql: VectorSearchSQL) throws -> [Int64] {
        let statement = try connection.cachedStatement(sql.dirty)
        defer { statement.reset() }
        var found: [Int64] = []
        while try statement.step() { found.append(statement.int64(at: 0)) }
        return found
    }

    /// Adds the distances of documents, by the vectors in them.
    ///
    /// - Parameter model: Encodes these vectors as those of the index; `nil` to compare them as they are.
    private func addDocuments(_ documents: [Int64], _ target: VectorTarget, _ model: VectorModel?, into heap: inout NearestHeap) throws {
        guard let sql = try vectorOfRow() else { return }
        try addDocuments(documents, sql, target, model, into: &heap)
    }

    private func addDocuments(
        _ documents: [Int64],
        _ vectorOfRow: String,
        _ target: VectorTarget,
        _ model: VectorModel?,
        into heap: inout NearestHeap
    ) throws {
        let wasAnswering = context.evaluation.isAnsweringQuery
        context.evaluation.isAnsweringQuery = false
        defer { context.evaluation.isAnsweringQuery = wasAnswering }
        let statement = try connection.cachedStatement(vectorOfRow)
        let layout = VectorCell.Layout(model, entry.options)
        var scan = Scan(target: target, layout: layout, excluded: [], dead: nil, heap: heap)
        for row in documents {
            defer { statement.reset() }
            try statement.bind(row, at: 1)
            guard try hasVector(statement) else { continue }
            let vector = try VectorReader.vector(bytes: statement.blob(at: 0), dimensions: entry.options.dimensions)
            try scan.add(model?.entries(of: vector).first ?? vector.vectorBytes, row: row)
        }
        heap = scan.heap
    }

    /// Returns the nearest ones of some documents, by the vectors in them (Vector search EN-12).
    func nearest(of documents: [Int64], to vector: [Float], limit: Int) throws -> [NearestHeap.Entry] {
        var heap = NearestHeap(capacity: limit)
        try addDocuments(documents, VectorTarget(vector, entry.options, nil), nil, into: &heap)
        return heap.sorted
    }

    /// Returns the distance of a document, by the vector in it; `nil` if it has none.
    func distance(of document: Int64, _ vectorOfRow: String, to target: VectorTarget) throws -> Float? {
        var heap = NearestHeap(capacity: 1)
        try addDocuments([document], vectorOfRow, target, nil, into: &heap)
        return heap.unsorted.first?.distance
    }

    /// Returns the statement that computes the vector of a document; `nil` if the collection of the index does not exist.
    func vectorOfRow() throws -> String? { try indexedExpression()?.vectorOfRow }

    /// The expression of the index; `nil` if its collection does not exist. Statements with it must run while no query is answered, so that it is
    /// computed as for the index.
    private func indexedExpression() throws -> VectorExpression? {
        try CollectionID(storeName: entry.store).flatMap { try context.file?.collection($0) }.map { try VectorExpression(entry, of: $0) }
    }

    // MARK: Indexes of the original

    /// Adds the distances of the vectors of all documents: the extension that reads the index is not here.
    private func searchDocuments(_ target: VectorTarget, into heap: inout NearestHeap) throws {
        var scan = Scan(target: target, layout: VectorCell.Layout(untrained: entry.options), excluded: [], dead: nil, heap: heap)
        try forEachVectorOfDocuments { try scan.add($1, row: $0) }
        heap = scan.heap
    }

    private func forEachVectorOfDocuments(_ body: (Int64, [UInt8]) throws -> Void) throws {
        guard let expression = try indexedExpression() else { return }
        let wasAnswering = context.evaluation.isAnsweringQuery
        context.evaluation.isAnsweringQuery = false
        defer { context.evaluation.isAnsweringQuery = wasAnswering }
        let statement = try connection.prepare(expression.vectorsOfAll)
        defer { statement.finalize() }
        while try statement.step() {
            if connection.handle.isInterrupted { return }
            guard statement.columnType(2) == .blob else { continue }
            let vector = try VectorReader.vector(bytes: statement.blob(at: 2), dimensions: entry.options.dimensions)
            try body(statement.int64(at: 0), vector.vectorBytes)
        }
    }

    // MARK: Marked documents

    /// Steps to the vector of a document; `false` if it has none, or if the model for it is missing.
    private func hasVector(_ statement: Statement) throws -> Bool {
        do {
            return try statement.step() && statement.columnType(0) == .blob
        } catch {
            if error.isOfMissingModel { return false }
            throw error
        }
    }

    // MARK: Counting

    /// Returns the number of vectors in the index.
    func vectorCount() throws -> Int {
        if entry.isForeign {
            var count = 0
            try forEachVectorOfDocuments { _, _ in count += 1 }
            return count
        }
        let statement = try connection.cachedStatement("SELECT count(*) FROM \(rows) WHERE state >= 2")
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.int64(at: 0)) : 0
    }
}
