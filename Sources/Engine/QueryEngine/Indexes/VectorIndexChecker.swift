import Base
import DocumentStore
import SQLiteEngine
import VectorSearch

/// Compares a vector index with the documents (Vector search FL-15).
struct VectorIndexChecker {
    private let entry: VectorIndexEntry
    private let collection: CollectionStore
    private let context: ConnectionContext
    private let expression: VectorExpression
    private var connection: Connection { context.connection }
    private var rows: String { entry.tables.rows.quotedIdentifier }

    init(_ entry: VectorIndexEntry, of collection: CollectionStore, on context: ConnectionContext) throws {
        (self.entry, self.collection, self.context) = (entry, collection, context)
        expression = try VectorExpression(entry, of: collection)
    }

    func problems() throws -> [String] {
        if entry.isDamaged { return [VectorIndexReader.unrepaired] }
        let reader = VectorIndexReader(entry: entry, context: context)
        guard try entry.tables.exist(on: connection) else { return ["a table of it is missing, or is a virtual table"] }
        do {
            let model = try reader.model()
            return try problemsOfCells(model) + problemsOfDocuments(model)
        } catch let damage as VectorIndexDamage {
            return [damage.reason]
        } catch let error as SQLiteError where error.isOfUnreadableTable {
            return [error.unreadableTable]
        }
    }

    /// Compares the number of places in cells with those that the rows name.
    private func problemsOfCells(_ model: VectorModel?) throws -> [String] {
        let (layout, rawLayout) = (VectorCell.Layout(model, entry.options), VectorCell.Layout(untrained: entry.options))
        let cells = entry.tables.cells.quotedIdentifier
        let dead = "SELECT count(*) FROM \(entry.tables.dead.quotedIdentifier) WHERE cell = id AND slot >= 0 AND slot < count"
        let statement = try connection.prepare("SELECT bucket, count, length(data), (\(dead)) FROM \(cells)")
        defer { statement.finalize() }
        var (places, strange) = (0, 0)
        while try statement.step() {
            let (bucket, count) = (statement.int64(at: 0), statement.int64(at: 1))
            try (bucket < 0 ? rawLayout : layout).check(size: Int(clamping: statement.int64(at: 2)), count: count)
            if bucket < -1 || bucket >= Int64(entry.options.centroids) || bucket >= 0 && model == nil { strange += 1 }
            places += Int(clamping: count - statement.int64(at: 3))
        }
        let named = try self.count("SELECT count(*) FROM \(rows) WHERE cell IS NOT NULL")
        var problems: [String] = []
        if strange > 0 { problems.append("\(strange) of its cells belong to no bucket") }
        if places != named { problems.append("its cells have \(places) vectors instead of \(named)") }
        return problems
    }

    private func problemsOfDocuments(_ model: VectorModel?) throws -> [String] {
        var (missing, differing) = (0, 0)
        var extra = try count(
            "SELECT count(*) FROM \(rows) WHERE docid NOT IN (SELECT rowid FROM \(collection.tables.liveName.quotedIdentifier))"
        )
        if !entry.options.isLazy {
            missing = try missingCount()
            let found = try compareStored(model)
            differing = found.differing
            extra += found.extra
        }
        guard missing + differing + extra > 0 else { return [] }
        return ["it lacks \(missing) documents, has \(differing) with other vectors, and \(extra) that it must not contain"]
    }

    private func missingCount() throws -> Int {
        let statement = try connection.prepare(expression.vectorsOfUnknown)
        defer { statement.finalize() }
        var count = 0
        while try statement.step() { if statement.columnType(0) == .blob { count += 1 } }
        return count
    }

    /// Compares what is stored with the vectors of the documents, and returns how many vectors differ, and how many documents have none. Documents
    /// that do not exist are not counted, nor those that are marked: the next transaction indexes them.
    private func compareStored(_ model: VectorModel?) throws -> (differing: Int, extra: Int) {
        let cells = VectorCellWriter(
            tables: entry.tables,
            layout: VectorCell.Layout(model, entry.options),
            rawLayout: VectorCell.Layout(untrained: entry.options),
            connection: connection
        )
        let stored = try connection.prepare(expression.storedVectors)
        defer { stored.finalize() }
        let document = try connection.prepare(expression.vectorOfRow)
        defer { document.finalize() }
        // The rows of a cell follow one another.
        var cell: VectorCellWriter.Cell?
        var (differing, extra) = (0, 0)
        while try stored.step() {
            defer { document.reset() }
            try document.bind(stored.int64(at: 0), at: 1)
            guard try document.step() else { continue }
            guard document.columnType(0) == .blob else {
                extra += 1
                continue
            }
            let vector = try VectorReader.vector(bytes: document.blob(at: 0), dimensions: entry.options.dimensions)
            let found: [UInt8]?
            // Vectors that training has not coded yet are stored as they are.
            var isRaw = model == nil
            if stored.isNull(at: 1) {
                found = Array(stored.blob(at: 3))
            } else {
                if cell?.id != stored.int64(at: 1) { cell = try cells.cell(stored.int64(at: 1)) }
                if let cell, cell.bucket < 0 { isRaw = true }
                let member = try cell.flatMap { try cells.member(in: $0, slot: stored.int64(at: 2)) }
                found = member?.row == stored.int64(at: 0) ? member?.entry : nil
            }
            let wanted = isRaw ? vector.vectorBytes : model?.entries(of: vector).first
            if found != wanted { differing += 1 }
        }
        return (differing, extra)
    }

    private func count(_ sql: String) throws -> Int { Int(clamping: try connection.scalar(sql) ?? 0) }
}
