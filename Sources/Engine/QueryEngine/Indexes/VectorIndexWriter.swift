import Base
import DocumentStore
import SQLiteEngine
import VectorSearch

/// Changes one vector index, inside of transactions (Vector search 9.2).
final class VectorIndexWriter {
    private(set) var entry: VectorIndexEntry
    let collection: CollectionStore
    let writer: Writer
    let expression: VectorExpression
    /// The number of vectors that are not in cells; `nil` if it is not known.
    private var looseCount: Int?
    /// At least the number of vectors; `nil` if it is not known. Only needed before training.
    private var vectorBound: Int?
    /// Whether training was not possible, so that it is not tried at each commit.
    private var cannotTrain = false
    /// Whether it is known that a trained index has no vectors that are to be coded.
    private var isCoded = false
    /// Asked while documents are read, and during training. It returns whether the work has to end with a `CancellationError`.
    var isCancelled: () -> Bool = { false }

    /// How many marked documents are indexed at once.
    private static let batchSize = 512
    /// The number of vectors that are not in cells from which they are moved there. A search reads each of them as a row. Tests set it, so that
    /// few documents are enough.
    @TaskLocal static var maximumLoose = 512

    var connection: Connection { writer.connection }
    var tables: VectorIndexTables { entry.tables }
    var rows: String { tables.rows.quotedIdentifier }
    var dead: String { tables.dead.quotedIdentifier }

    /// - Throws: ``QueryError`` if the expression cannot be indexed.
    init(_ entry: VectorIndexEntry, of collection: CollectionStore, _ writer: Writer) throws {
        (self.entry, self.collection, self.writer) = (entry, collection, writer)
        expression = try VectorExpression(entry, of: collection)
    }

    var reader: VectorIndexReader { VectorIndexReader(entry: entry, context: writer.context) }

    var layout: VectorCell.Layout {
        entry.isTrained ? VectorCell.Layout(trained: entry.options) : VectorCell.Layout(untrained: entry.options)
    }

    var cells: VectorCellWriter {
        VectorCellWriter(tables: tables, layout: layout, rawLayout: VectorCell.Layout(untrained: entry.options), connection: connection)
    }

    /// Whether the file has all tables, SQL indexes and triggers of the index.
    var isComplete: Bool {
        get throws {
            let wanted = tables.creation + tables.triggers(on: collection.tables.liveName, isLazy: entry.options.isLazy)
            let found = Set(
                exactly: try connection.texts(
                    "SELECT sql FROM sqlite_master WHERE substr(name, 1, length(?1) + 1) = ?1 || ':' AND sql IS NOT NULL",
                    tables.name
                )
            )
            return wanted.allSatisfy { found.contains($0) }
        }
    }

    // MARK: Marked documents

    /// Indexes the marked documents, and then moves vectors to cells and trains the index if it is time.
    func complete() throws {
        var added = 0
        while true {
            let marked = try markedDocuments()
            if marked.isEmpty { break }
            added += try index(marked)
        }
        if added > 0 || looseCount == nil { try noteAdded(added) }
        if entry.isTrained, !isCoded { try continueCoding() }
    }

    /// Goes on with what training in the background has left undone, in this process or another one.
    private func continueCoding() throws {
        if worksInBackground, try hasRawCells {
            // That may fail, or may never begin. So each change looks again, until all vectors are coded.
            return scheduleTraining()
        }
        while try codeRawCells(limit: VectorTraining.maximumVectors) {}
        isCoded = true
    }

    /// Whether there are cells with vectors that are not coded.
    private var hasRawCells: Bool {
        get throws {
            try number("SELECT count(*) FROM (SELECT 1 FROM \(tables.cells.quotedIdentifier) WHERE bucket = -1 LIMIT 1)") > 0
        }
    }

    /// A document that a trigger has marked.
    private struct Marked {
        let row: Int64
        /// Where its vector was.
        let place: (cell: Int64, slot: Int64)?
        let looseEntry: [UInt8]?
        var vector: [Float]?
    }

    private func markedDocuments() throws -> [Marked] {
        let statement = try connection.cachedStatement(expression.markedRows)
        defer { statement.reset() }
        try statement.bind(Self.batchSize, at: 1)
        var marked: [Marked] = []
        while try statement.step() {
            let place = statement.isNull(at: 1) ? nil : (cell: statement.int64(at: 1), slot: statement.int64(at: 2))
            let looseEntry = statement.isNull(at: 4) ? nil : Array(statement.blob(at: 4))
            let vector = try self.vector(statement, column: 7, documentID: { statement.text(at: 6) })
            marked.append(Marked(row: statement.int64(at: 0), place: place, looseEntry: looseEntry, vector: vector))
        }
        return marked
    }

    /// Returns the vector in a column; `nil` if the document has none, which is logged if it has another value.
    func vector(_ statement: Statement, column: Int, documentID: () -> String, warns: Bool = true) throws -> [Float]? {
        switch statement.columnType(column) {
        case .blob: return try VectorReader.vector(bytes: statement.blob(at: column), dimensions: entry.options.dimensions)
        case .integer:
            if warns {
                let problem = VectorProblem(number: statement.int64(at: column))
                writer.logAfterTransaction(
                    .warning,
                    "the document \"\(documentID())\" is not in the vector index \"\(entry.name)\": \(problem.message)"
                )
            }
            return nil
        default: return nil
        }
    }

    /// Stores the vectors of marked documents, and returns how many there are.
    private func index(_ marked: [Marked]) throws -> Int {
        let valued = marked.filter { $0.vector != nil }
        let (entries, buckets) = try coded(valued.flatMap { $0.vector ?? [] })
        for (index, document) in valued.enumerated() {
            if try isUnchanged(document, entries[index]) { continue }
            if let place = document.place { try bury(place) }
            try setLoose(document.row, bucket: buckets[index], entries[index])
        }
        for document in marked where document.vector == nil { try remove(document.row, place: document.place) }
        return valued.count
    }

    /// Returns the norms and codes, and the buckets, of vectors.
    func coded(_ vectors: [Float]) throws -> (entries: [[UInt8]], buckets: [Int64]) {
        if vectors.isEmpty { return ([], []) }
        if let model = try reader.model() {
            return (model.entries(of: vectors), model.buckets(of: vectors).map(Int64.init))
        }
        let dimensions = entry.options.dimensions
        let entries = stride(from: 0, to: vectors.count, by: dimensions).map { Array(vectors[$0..<$0 + dimensions]).vectorBytes }
        return (entries, Array(repeating: -1, count: entries.count))
    }

    /// Returns whether the vector of a document is the one that is stored already, and takes the mark off then. Most changes of documents
    /// do not concern the vector.
    private func isUnchanged(_ document: Marked, _ entry: [UInt8]) throws -> Bool {
        let state: Int
        if let place = document.place {
            guard let cell = try cells.cell(place.cell), try cells.entry(in: cell, slot: place.slot) == entry else { return false }
            state = 3
        } else {
            guard document.looseEntry == entry else { return false }
            state = 2
        }
        let statement = try connection.cachedStatement("UPDATE \(rows) SET state = ?2 WHERE docid = ?1")
        defer { statement.reset() }
        try statement.bind(document.row, at: 1)
        try statement.bind(state, at: 2)
        try statement.run()
        return true
    }

    // MARK: Cells

    /// Must be called after vectors were stored outside of the cells.
    func noteAdded(_ count: Int) throws {
        if !entry.isTrained, isTrainingScheduled {
            // What runs now may have read too few vectors.
            if count > 0 { scheduleTraining() }
        } else if !entry.isTrained, !cannotTrain {
            let bound = try vectorBound.map { $0 + count } ?? reader.vectorCount()
            vectorBound = bound
            if bound >= entry.options.effectiveMinimum {
                let exact = try reader.vectorCount()
                vectorBound = exact
                if exact >= entry.options.effectiveMinimum { try trainNowOrSoon(vectorCount: exact) }
            }
        }
        let loose =
            try looseCount.map { $0 + count } ?? number("SELECT count(*) FROM \(rows) INDEXED BY \(tables.looseIndex) WHERE state = 2")
        looseCount = loose
        guard loose > Self.maximumLoose else { return }
        try pack()
        // Only now, because that takes a look at all cells that have such places.
        let places = try number("SELECT count(*) FROM \(dead)")
        let all = try number("SELECT ifnull(sum(count), 0) FROM \(tables.cells.quotedIdentifier)")
        if places > 4 * Self.maximumLoose || places > all / 4 {
            try cells.removeDead()
        }
    }

    private var worksInBackground: Bool { writer.context.file?.options.worksInBackground ?? false }
    private var isTrainingScheduled: Bool { writer.context.file?.indexWork.isScheduled(tables.name) ?? false }

    private func scheduleTraining() {
        let training = VectorTraining(of: tables.name)
        writer.scheduleIndexWork(tables.name, limit: VectorTraining.limit) { try training.run(on: $0) }
    }

    /// Trains the index from so many vectors if that is short; otherwise, it is trained in the background.
    private func trainNowOrSoon(vectorCount: Int) throws {
        if !worksInBackground || VectorTraining.isShort(entry.options, vectorCount: vectorCount) {
            try train()
        } else if VectorSample.size(for: entry.options) == nil {
            noteUntrainable()
        } else {
            scheduleTraining()
        }
    }

    /// Moves all vectors that are not in cells to the cells of their buckets.
    func pack() throws {
        while true {
            let groups = try looseMembers()
            if groups.isEmpty { break }
            for (bucket, members) in groups.sorted(by: { $0.key < $1.key }) { try cells.append(members, bucket: bucket) }
        }
        looseCount = 0
    }

    private func looseMembers() throws -> [Int64: [VectorCellWriter.Member]] {
        let size = layout.entrySize
        let limit = max(1024, (16 << 20) / max(1, size))
        let statement = try connection.cachedStatement(
            "SELECT docid, bucket, code FROM \(rows) INDEXED BY \(tables.looseIndex) WHERE state = 2 LIMIT \(limit)"
        )
        defer { statement.reset() }
        var groups: [Int64: [VectorCellWriter.Member]] = [:]
        while try statement.step() {
            let entry = Array(statement.blob(at: 2))
            guard entry.count == size else { throw VectorIndexDamage("a code has \(entry.count) bytes") }
            groups[statement.int64(at: 1), default: []].append(.init(row: statement.int64(at: 0), entry: entry))
        }
        return groups
    }

    func number(_ sql: String) throws -> Int { Int(clamping: try connection.scalar(sql) ?? 0) }

    // MARK: State

    /// Records that the index was trained, or that it is new.
    func setModel(_ model: VectorModel?) throws {
        let table = tables.model.quotedIdentifier
        try connection.execute("DELETE FROM \(table)")
        var generation: Int64 = 0
        if let model {
            let bytes = model.encoded
            let statement = try connection.prepare("INSERT INTO \(table) (part, data) VALUES (?, ?)")
            defer { statement.finalize() }
            for (part, start) in stride(from: 0, to: bytes.count, by: 256 << 10).enumerated() {
                try statement.bind(part, at: 1)
                try statement.bindBlob(Array(bytes[start..<min(bytes.count, start + 256 << 10)]), at: 2)
                try statement.run()
                statement.reset()
            }
            generation = model.checksum
        }
        try VectorRegistry.setGeneration(generation, of: entry, on: connection)
        entry.generation = generation
        (looseCount, vectorBound, isCoded) = (nil, nil, false)
        // Prepared queries know which indexes are trained only from when they were compiled, and need not know better.
        if let model { writer.context.file?.indexCache.set(model, of: tables.name, number: generation, size: model.memorySize) }
    }

    /// Records that training is not possible, and logs why.
    func noteUntrainable() {
        cannotTrain = true
        writer.logAfterTransaction(
            .warning,
            "the vector index \"\(entry.name)\" cannot be trained: that needs more than \(VectorSample.maximumSize >> 20) MiB of vectors"
        )
    }
}
