import DocumentStore
import SQLiteEngine
import VectorSearch

/// The vectors of an index that is not trained, as they are stored.
struct StoredVectors {
    let entry: VectorIndexEntry
    let connection: Connection

    private var layout: VectorCell.Layout { VectorCell.Layout(untrained: entry.options) }

    /// Calls `body` with the row number and the vector of each document, in a fixed order.
    ///
    /// - Throws: ``VectorIndexDamage`` if what is stored is no vector.
    func forEach(_ body: (Int64, [Float]) throws -> Void) throws {
        let cells = VectorCellWriter(tables: entry.tables, layout: layout, rawLayout: layout, connection: connection)
        for id in try cells.numbers("SELECT id FROM \(entry.tables.cells.quotedIdentifier) WHERE bucket = -1 ORDER BY id") {
            guard let cell = try cells.cell(id) else { continue }
            for member in try cells.livingMembers(of: cell) { try body(member.row, try vector(member.entry)) }
        }
        try forEachLoose(body)
    }

    /// Calls `body` with the vectors that are not in cells.
    func forEachLoose(_ body: (Int64, [Float]) throws -> Void) throws {
        let statement = try connection.prepare(
            "SELECT docid, code FROM \(entry.tables.rows.quotedIdentifier) INDEXED BY \(entry.tables.looseIndex) "
                + "WHERE state = 2 AND bucket = -1 ORDER BY docid"
        )
        defer { statement.finalize() }
        while try statement.step() { try body(statement.int64(at: 0), try vector(Array(statement.blob(at: 1)))) }
    }

    /// Reads the components of a vector.
    func vector(_ bytes: [UInt8]) throws -> [Float] {
        do {
            return try bytes.withUnsafeBytes { try VectorReader.vector(bytes: $0, dimensions: entry.options.dimensions) }
        } catch let problem as VectorProblem {
            throw VectorIndexDamage("a stored vector is invalid: \(problem.message)")
        }
    }
}

extension VectorSample {
    /// The most bytes of vectors that are kept in memory for training (Vector search 9.6). Tests set it, so that few vectors are too many.
    @TaskLocal static var maximumSize = 256 << 20

    /// Returns the number of vectors to train an index with; `nil` if they would take too much memory.
    static func size(for options: VectorIndexOptions) -> Int? {
        let fitting = maximumSize / (options.dimensions * 4)
        guard fitting >= options.effectiveMinimum || fitting >= 25 * options.centroids else { return nil }
        return min(options.effectiveMaximum, fitting)
    }
}
