import Base
import DocumentStore
import QueryLanguage
import SQLiteEngine
import VectorSearch

/// Filling an index from the documents, and training it from its vectors (Vector search VI-1, 5, 9.6).
extension VectorIndexWriter {
    /// The most bytes of vectors that are kept in memory for training.
    private static let maximumSampleSize = 256 << 20
    /// How many vectors are coded at once.
    private static let blockSize = 1024

    /// Creates the tables and triggers anew, and fills them.
    ///
    /// - Parameter progress: Called with the number of documents that were read, and of all.
    func rebuild(progress: IndexProgress.Report?) throws {
        try tables.drop(on: connection)
        for statement in tables.creation { try connection.execute(statement) }
        for trigger in tables.triggers(on: collection.tables.liveName, isLazy: entry.options.isLazy) { try connection.execute(trigger) }
        try setModel(nil)
        try VectorRegistry.setDoneSequence(0, of: entry, on: connection)
        if !entry.options.isLazy { try fill(progress) }
    }

    private func fill(_ progress: IndexProgress.Report?) throws {
        writer.publishKeysForIndexes()
        let options = entry.options
        let total = try number("SELECT count(*) FROM \(collection.tables.liveName.quotedIdentifier)")
        if total >= options.effectiveMinimum, let size = sampleSize() {
            // The documents are read twice, so that no vector is written before it is known how.
            var random = SeededNumbers(name: entry.name)
            var sample = VectorSample(size: size, dimensions: options.dimensions)
            try forEachVector(warns: false, { try progress?($0 / 2, total) }) { sample.add($1, &random) }
            if sample.seen >= options.effectiveMinimum {
                try setModel(VectorModel(training: options, sample: sample.vectors, &random))
            }
        }
        let isHalfDone = total >= options.effectiveMinimum
        var block = VectorBlock(self)
        try forEachVector(warns: true, { try progress?(isHalfDone ? total / 2 + $0 / 2 : $0, total) }) {
            try block.add(row: $0, $1)
        }
        try block.finish()
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
            if read % 1000 == 0 { try progress(read) }
            // One warning for each hundred documents.
            if statement.columnType(2) == .integer { problems += 1 }
            let isWarning = warns && problems % 100 == 1
            if let found = try vector(statement, column: 2, documentID: { statement.text(at: 1) }, warns: isWarning) {
                try body(statement.int64(at: 0), found)
            }
        }
    }

    // MARK: Training

    /// Trains the index from its vectors, and codes them. Returns `false` if that is not possible.
    func train(vectorCount: Int) throws -> Bool {
        guard let size = sampleSize() else { return false }
        let options = entry.options
        var random = SeededNumbers(name: entry.name)
        var sample = VectorSample(size: size, dimensions: options.dimensions)
        try forEachStored { sample.add($1, &random) }
        // The vectors that are read are fewer than were counted if the file is damaged.
        guard sample.seen >= options.effectiveMinimum else { throw VectorIndexDamage("vectors are missing in its cells") }
        let model = VectorModel(training: options, sample: sample.vectors, &random)
        let cellTable = tables.cells.quotedIdentifier
        let last = try connection.scalar("SELECT max(id) FROM \(cellTable)") ?? 0
        let stored = reader
        let oldLayout = layout
        try setModel(model)
        var block = VectorBlock(self)
        try forEachStored(stored.entry, oldLayout, upTo: last) { try block.add(row: $0, $1) }
        try block.finish()
        try connection.execute(
            "DELETE FROM \(cellTable) WHERE id <= \(last); DELETE FROM \(tables.dead.quotedIdentifier) WHERE cell <= \(last)"
        )
        return true
    }

    /// Returns the number of vectors to train with; `nil` if memory for them is refused.
    private func sampleSize() -> Int? {
        let options = entry.options
        let fitting = Self.maximumSampleSize / (options.dimensions * 4)
        guard fitting >= options.effectiveMinimum || fitting >= 25 * options.centroids else {
            noteUntrainable("that needs more than \(Self.maximumSampleSize >> 20) MiB of vectors")
            return nil
        }
        return min(options.effectiveMaximum, fitting)
    }

    private func forEachStored(_ body: (Int64, [Float]) throws -> Void) throws {
        try forEachStored(entry, layout, upTo: .max, body)
    }

    /// Calls `body` with the row number and the vector of each document in an index that is not trained, in a fixed order.
    private func forEachStored(
        _ entry: VectorIndexEntry,
        _ layout: VectorCell.Layout,
        upTo last: Int64,
        _ body: (Int64, [Float]) throws -> Void
    ) throws {
        let dimensions = entry.options.dimensions
        func pass(_ row: Int64, _ bytes: [UInt8]) throws {
            guard let vector = try? bytes.withUnsafeBytes({ try VectorReader.vector(bytes: $0, dimensions: dimensions) }) else {
                throw VectorIndexDamage("a vector contains a number that is not finite")
            }
            try body(row, vector)
        }
        // Read before the cells: what is written meanwhile has other states.
        let writer = VectorCellWriter(tables: tables, layout: layout, connection: connection)
        let loose = try writer.numbers("SELECT docid FROM \(tables.rows.quotedIdentifier) WHERE state = 2 ORDER BY docid")
        for id in try writer.numbers("SELECT id FROM \(tables.cells.quotedIdentifier) WHERE id <= ? ORDER BY id", last) {
            guard let cell = try writer.cell(id) else { continue }
            for member in try writer.livingMembers(of: cell) { try pass(member.row, member.entry) }
        }
        let statement = try connection.prepare("SELECT code FROM \(tables.rows.quotedIdentifier) WHERE docid = ? AND state = 2")
        defer { statement.finalize() }
        for row in loose {
            defer { statement.reset() }
            try statement.bind(row, at: 1)
            if try statement.step() { try pass(row, Array(statement.blob(at: 0))) }
        }
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
