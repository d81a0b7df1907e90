import Base
import DocumentStore
import SQLiteEngine
import VectorSearch

/// Filling an index from the documents, and training it from its vectors (Vector search VI-1, 5, 9.6).
extension VectorIndexWriter {
    /// How many vectors are coded at once.
    private static let blockSize = 1024

    /// Creates the tables and triggers anew, and fills them.
    ///
    /// - Parameter progress: Called with the number of documents that were read, and of all.
    func rebuild(progress: IndexProgress.Report?) throws {
        try createTables()
        if !entry.options.isLazy { try fill(progress) }
    }

    /// Creates the tables and triggers anew, and fills them. If the predictive model of the expression is missing, all documents are only marked,
    /// and are indexed when there is the model (Vector search VI-12).
    func rebuildOrMark() throws {
        do {
            try connection.savepoint("filling") { try rebuild(progress: nil) }
        } catch let error as SQLiteError where error.isOfMissingModel {
            try createTables()
            try connection.execute(
                "INSERT INTO \(tables.rows.quotedIdentifier) (docid, state) SELECT rowid, 0 FROM "
                    + "\(collection.tables.liveName.quotedIdentifier) WHERE (flags & 1) = 0"
            )
        }
    }

    /// Makes a damaged index anew, because it must not prevent that documents are saved. If that fails, only its triggers are dropped, and searches
    /// in it fail.
    ///
    /// - Returns: Whether the index is in order.
    func repair() throws -> Bool {
        guard let error = try connection.failure(inSavepoint: "repair", of: { try rebuildOrMark() }) else {
            let loss = entry.options.isLazy ? " and has lost its vectors: all documents need new ones" : ", and was made anew"
            writer.logAfterTransaction(.warning, "the vector index \"\(entry.name)\" was damaged\(loss)")
            return true
        }
        try tables.dropTriggers(on: connection)
        try VectorRegistry.setGeneration(VectorIndexEntry.damagedGeneration, of: entry, on: connection)
        writer.logAfterTransaction(
            .warning,
            "the vector index \"\(entry.name)\" is damaged and cannot be made anew, so that searches in it fail: \(error)"
        )
        return false
    }

    private func createTables() throws {
        try tables.drop(on: connection)
        for statement in tables.creation { try connection.execute(statement) }
        for trigger in tables.triggers(on: collection.tables.liveName, isLazy: entry.options.isLazy) { try connection.execute(trigger) }
        try setModel(nil)
        try VectorRegistry.setDoneSequence(0, of: entry, on: connection)
    }

    private func fill(_ progress: IndexProgress.Report?) throws {
        writer.publishKeysForIndexes()
        let options = entry.options
        let total = try number("SELECT count(*) FROM \(collection.tables.liveName.quotedIdentifier)")
        let isTraining = total >= options.effectiveMinimum
        let sampleSize = isTraining ? VectorSample.size(for: options) : nil
        if isTraining, sampleSize == nil { noteUntrainable() }
        // The documents are read twice if the index may be trained, so that no vector is written before it is known how.
        let readings = sampleSize == nil ? 1 : 2
        func report(_ read: Int, before: Int = 0) throws { try progress?((before * total + read) / readings, total) }
        if let sampleSize {
            var random = SeededNumbers(name: entry.name)
            var sample = VectorSample(size: sampleSize, dimensions: options.dimensions)
            try forEachVector(warns: false, { try report($0) }) { sample.add($1, &random) }
            if sample.seen >= options.effectiveMinimum { try setModel(model(of: sample, &random)) }
        }
        var block = VectorBlock(self)
        try forEachVector(warns: true, { try report($0, before: readings - 1) }) { try block.add(row: $0, $1) }
        try block.finish()
    }

    /// Trains the index with a sample.
    private func model(of sample: VectorSample, _ random: inout SeededNumbers) throws -> VectorModel {
        try VectorModel(training: entry.options, sample: sample.vectors, &random, isCancelled: isCancelled)
    }

    /// Calls `body` with the row number and the vector of each live document that has one.
    private func forEachVector(
        warns: Bool,
        _ progress: (Int) throws -> Void,
        _ body: (Int64, [Float]) throws -> Void
    ) throws {
        let statement = try connection.prepare(expression.vectorsOfAll)
        defer { statement.finalize() }
        var (read, problems) = (0, 0)
        while try statement.step() {
            read += 1
            if read % 1000 == 0 {
                if isCancelled() { throw CancellationError() }
                try progress(read)
            }
            // One warning for each hundred documents.
            if statement.columnType(2) == .integer { problems += 1 }
            let isWarning = warns && problems % 100 == 1
            if let found = try vector(statement, column: 2, documentID: { statement.text(at: 1) }, warns: isWarning) {
                try body(statement.int64(at: 0), found)
            }
        }
    }

    // MARK: Training

    /// Trains the index from its vectors, and codes them, unless that is not possible.
    func train() throws {
        guard let size = VectorSample.size(for: entry.options) else { return noteUntrainable() }
        var random = SeededNumbers(name: entry.name)
        var sample = VectorSample(size: size, dimensions: entry.options.dimensions)
        try StoredVectors(entry: entry, connection: connection).forEach { sample.add($1, &random) }
        // The vectors that are read are fewer than were counted if the file is damaged.
        guard sample.seen >= entry.options.effectiveMinimum else { throw VectorIndexDamage("vectors are missing in its cells") }
        try install(model(of: sample, &random))
        while try codeRawCells(limit: VectorTraining.maximumVectors) {}
    }

    /// Stores a model, and codes the vectors that are not in cells. Those in cells stay as they are, see ``codeRawCells(limit:)``.
    func install(_ model: VectorModel) throws {
        var (rows, vectors): ([Int64], [Float]) = ([], [])
        try setModel(model)
        try StoredVectors(entry: entry, connection: connection).forEachLoose { row, vector in
            rows.append(row)
            vectors += vector
            guard rows.count == Self.blockSize else { return }
            try code(rows, vectors)
            (rows, vectors) = ([], [])
        }
        try code(rows, vectors)
    }

    /// Replaces vectors that are not in cells by their codes.
    private func code(_ rows: [Int64], _ vectors: [Float]) throws {
        let (entries, buckets) = try coded(vectors)
        let statement = try connection.cachedStatement(
            "UPDATE \(tables.rows.quotedIdentifier) SET bucket = ?, code = ? WHERE docid = ?"
        )
        defer { statement.clearBindings() }
        for position in rows.indices {
            defer { statement.reset() }
            try statement.bind(buckets[position], at: 1)
            try statement.bindBlob(entries[position], at: 2)
            try statement.bind(rows[position], at: 3)
            try statement.run()
        }
    }

    /// Codes the vectors of some cells from before the training. Returns whether there are more such cells.
    ///
    /// - Parameter limit: The most vectors.
    func codeRawCells(limit: Int) throws -> Bool {
        let cells = self.cells
        let stored = StoredVectors(entry: entry, connection: connection)
        let fitting = min(limit, VectorTraining.maximumBytes / (entry.options.dimensions * 4))
        let count = max(1, fitting / cells.capacity(ofBucket: -1))
        let ids = try cells.numbers("SELECT id FROM \(tables.cells.quotedIdentifier) WHERE bucket = -1 ORDER BY id LIMIT \(count + 1)")
        var block = VectorBlock(self)
        for id in ids.prefix(count) {
            guard let cell = try cells.cell(id) else { continue }
            for member in try cells.livingMembers(of: cell) { try block.add(row: member.row, try stored.vector(member.entry)) }
            try cells.remove(id)
        }
        try block.finish()
        return ids.count > count
    }

    /// Vectors that are coded together, and written to their buckets.
    private struct VectorBlock {
        private let index: VectorIndexWriter
        private var collector: VectorCellCollector
        private var rows: [Int64] = []
        private var vectors: [Float] = []

        init(_ index: VectorIndexWriter) {
            self.index = index
            collector = VectorCellCollector(index.cells)
        }

        mutating func add(row: Int64, _ vector: [Float]) throws {
            rows.append(row)
            vectors += vector
            if rows.count == VectorIndexWriter.blockSize { try write() }
        }

        private mutating func write() throws {
            let (entries, buckets) = try index.coded(vectors)
            for position in rows.indices {
                try collector.add(.init(row: rows[position], entry: entries[position]), bucket: buckets[position])
            }
            rows.removeAll(keepingCapacity: true)
            vectors.removeAll(keepingCapacity: true)
        }

        mutating func finish() throws {
            try write()
            try collector.finish()
        }
    }
}

/// A random part of vectors whose number is not known before (reservoir sampling).
struct VectorSample {
    private let size: Int
    private let dimensions: Int
    private(set) var vectors: [Float] = []
    /// The number of vectors that were offered.
    private(set) var seen = 0

    init(size: Int, dimensions: Int) { (self.size, self.dimensions) = (size, dimensions) }

    mutating func add(_ vector: [Float], _ random: inout SeededNumbers) {
        seen += 1
        if seen <= size {
            vectors += vector
            return
        }
        let place = Int.random(in: 0..<seen, using: &random)
        guard place < size else { return }
        vectors.replaceSubrange(place * dimensions..<(place + 1) * dimensions, with: vector)
    }
}
