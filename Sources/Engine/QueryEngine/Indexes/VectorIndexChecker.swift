import Base
import DocumentStore
import QueryLanguage
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
        let reader = VectorIndexReader(entry: entry, context: context)
        guard try entry.tables.exist(on: connection) else { return ["a table of it is missing"] }
        do {
            let model = try reader.model()
            return try problemsOfCells(model) + problemsOfDocuments(model)
        } catch let damage as VectorIndexDamage {
            return [damage.reason]
        }
    }

    private func cells(_ model: VectorModel?) -> VectorCellWriter {
        let layout = model == nil ? VectorCell.Layout(untrained: entry.options) : VectorCell.Layout(trained: entry.options)
        let rawLayout = VectorCell.Layout(untrained: entry.options)
        return VectorCellWriter(tables: entry.tables, layout: layout, rawLayout: rawLayout, connection: connection)
    }

    /// Compares the places in cells with those that the rows name.
    private func problemsOfCells(_ model: VectorModel?) throws -> [String] {
        let cells = self.cells(model)
        var (places, strange) = (0, 0)
        for id in try cells.numbers("SELECT id FROM \(entry.tables.cells.quotedIdentifier)") {
            guard let cell = try cells.cell(id) else { continue }
            if cell.bucket < -1 || cell.bucket >= Int64(entry.options.centroids) || cell.bucket >= 0 && model == nil { strange += 1 }
            places += try cells.livingMembers(of: cell).count
        }
        let named = try count("SELECT count(*) FROM \(rows) WHERE cell IS NOT NULL")
        var problems: [String] = []
        if strange > 0 { problems.append("\(strange) of its cells belong to no bucket") }
        if places != named { problems.append("its cells have \(places) vectors instead of \(named)") }
        return problems
    }

    private func problemsOfDocuments(_ model: VectorModel?) throws -> [String] {
        let cells = self.cells(model)
        let statement = try connection.prepare(expression.storedVectors)
        defer { statement.finalize() }
        // Codes of product quantizers may differ in the last digits of sums, which depend on the processor.
        var isExact = true
        if case .product = entry.options.encoding, model != nil { isExact = false }
        var (missing, differing, extra) = (0, 0, 0)
        while try statement.step() {
            let hasRow = !statement.isNull(at: 1)
            // A marked document is indexed by the next transaction.
            if hasRow, statement.int64(at: 1) == 0 { continue }
            let isIndexed = hasRow && statement.int64(at: 1) >= 2
            if entry.options.isLazy { continue }
            guard statement.columnType(0) == .blob else {
                if isIndexed { extra += 1 }
                continue
            }
            guard isIndexed else {
                missing += 1
                continue
            }
            let vector = try VectorReader.vector(bytes: statement.blob(at: 0), dimensions: entry.options.dimensions)
            let stored: [UInt8]?
            // Vectors that training has not coded yet are stored as they are.
            var isRaw = model == nil
            if statement.isNull(at: 2) {
                stored = Array(statement.blob(at: 4))
            } else {
                let cell = try cells.cell(statement.int64(at: 2))
                if let cell, cell.bucket < 0 { isRaw = true }
                stored = try cell.flatMap { try cells.entry(in: $0, slot: statement.int64(at: 3)) }
            }
            let wanted = isRaw ? vector.vectorBytes : model?.entries(of: vector).first
            if stored == nil || isExact && stored != wanted { differing += 1 }
        }
        extra += try count(
            "SELECT count(*) FROM \(rows) WHERE docid NOT IN (SELECT rowid FROM \(collection.tables.liveName.quotedIdentifier))"
        )
        guard missing + differing + extra > 0 else { return [] }
        return ["it lacks \(missing) documents, has \(differing) with other vectors, and \(extra) that it must not contain"]
    }

    private func count(_ sql: String) throws -> Int { Int(clamping: try connection.scalar(sql) ?? 0) }
}
