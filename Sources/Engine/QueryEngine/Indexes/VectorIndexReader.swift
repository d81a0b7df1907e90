import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine
import VectorSearch

/// Reads a vector index on one connection.
struct VectorIndexReader {
    let entry: VectorIndexEntry
    let context: ConnectionContext

    private var connection: Connection { context.connection }
    private var rows: String { entry.tables.rows.quotedIdentifier }

    // MARK: Model

    /// Returns what training has found; `nil` if the index is not trained.
    ///
    /// - Throws: ``VectorIndexDamage`` if the stored model is not one of this index.
    func model() throws -> VectorModel? {
        guard entry.isTrained else { return nil }
        let cache = context.file?.indexCache
        if let known = cache?.value(of: entry.tables.name, number: entry.generation) as? VectorModel, known.options == entry.options {
            return known
        }
        let model = try VectorModel(try storedModel(), options: entry.options)
        cache?.set(model, of: entry.tables.name, number: entry.generation, size: model.memorySize)
        return model
    }

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
        let model = try self.model()
        let target = VectorTarget(vector, entry.options, model)
        let dirty = try dirtyRows()
        let layout = model == nil ? VectorCell.Layout(untrained: entry.options) : VectorCell.Layout(trained: entry.options)
        var scan = Scan(target: target, layout: layout, excluded: Set(dirty), dead: try deadPlaces(), heap: heap)
        if let model, let probes {
            let buckets = model.probedBuckets(for: vector, count: probes)
            for bucket in buckets { try scanCells("WHERE bucket = ?", bucket, &scan) }
            try scanLoose(in: Set(buckets.map(Int64.init)), &scan)
        } else {
            try scanCells("WHERE bucket >= -1", nil, &scan)
            try scanLoose(in: nil, &scan)
        }
        heap = scan.heap
        if !dirty.isEmpty { try addDocuments(dirty, target, model, into: &heap) }
    }

    /// The state of a search.
    private struct Scan {
        let target: VectorTarget
        let layout: VectorCell.Layout
        /// The documents that have changed since they were indexed.
        let excluded: Set<Int64>
        /// Finds a place that does not count; `nil` if all count.
        let dead: Statement?
        var heap: NearestHeap

        mutating func add(_ view: VectorCell.View, cell: Int64) {
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

    private func deadPlaces() throws -> Statement? {
        let dead = entry.tables.dead.quotedIdentifier
        guard try connection.scalar("SELECT 1 FROM \(dead) LIMIT 1") != nil else { return nil }
        return try connection.cachedStatement("SELECT 1 FROM \(dead) WHERE cell = ? AND slot = ?")
    }

    private func scanCells(_ condition: String, _ bucket: Int?, _ scan: inout Scan) throws {
        let statement = try connection.cachedStatement(
            "SELECT id, count, data FROM \(entry.tables.cells.quotedIdentifier) \(condition)"
        )
        defer { statement.reset() }
        if let bucket { try statement.bind(bucket, at: 1) }
        while try statement.step() {
            if context.connection.handle.isInterrupted { return }
            let view = try VectorCell.View(statement.blob(at: 2), count: statement.int64(at: 1), scan.layout)
            scan.add(view, cell: statement.int64(at: 0))
        }
    }

    /// Scans the vectors that are not in a cell yet.
    private func scanLoose(in buckets: Set<Int64>?, _ scan: inout Scan) throws {
        let statement = try connection.cachedStatement(
            "SELECT docid, bucket, code FROM \(rows) INDEXED BY \(entry.tables.looseIndex) WHERE state = 2"
        )
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
    private func dirtyRows() throws -> [Int64] {
        let statement = try connection.cachedStatement("SELECT docid FROM \(rows) INDEXED BY \(entry.tables.dirtyIndex) WHERE state = 0")
        defer { statement.reset() }
        var found: [Int64] = []
        while try statement.step() { found.append(statement.int64(at: 0)) }
        return found
    }

    /// Adds the distances of documents, by the vectors in them.
    ///
    /// - Parameter model: Encodes these vectors as those of the index; `nil` to compare them as they are.
    private func addDocuments(_ documents: [Int64], _ target: VectorTarget, _ model: VectorModel?, into heap: inout NearestHeap) throws {
        guard let collection = try CollectionID(storeName: entry.store).flatMap({ try context.file?.collection($0) }) else { return }
        // Expressions are computed as for the index.
        let wasAnswering = context.isAnsweringQuery
        context.isAnsweringQuery = false
        defer { context.isAnsweringQuery = wasAnswering }
        let expression = try VectorExpression(entry, of: collection)
        let statement = try connection.cachedStatement(expression.vectorOfRow)
        let layout = model == nil ? VectorCell.Layout(untrained: entry.options) : VectorCell.Layout(trained: entry.options)
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
        let statement = try connection.cachedStatement("SELECT count(*) FROM \(rows) WHERE state >= 2")
        defer { statement.reset() }
        return try statement.step() ? Int(clamping: statement.int64(at: 0)) : 0
    }
}
