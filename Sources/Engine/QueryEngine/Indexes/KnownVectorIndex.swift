import Base
import DocumentStore
import SQLiteEngine

/// An index to search in, with the statements of a search.
struct SearchedVectorIndex {
    let entry: VectorIndexEntry
    let sql: VectorSearchSQL
}

/// The statements of a search.
struct VectorSearchSQL {
    /// The cells of the bucket ?1, and those of all buckets. The bucket −1 has the vectors that are not coded.
    let cellsOfBucket, cellsOfAllBuckets: String
    /// The vectors that are not in a cell.
    let loose: String
    /// The documents that have changed since they were indexed.
    let dirty: String
    /// Whether there are places in cells that do not count, and whether the place ?2 of the cell ?1 is one.
    let anyDead, isDead: String

    init(_ tables: VectorIndexTables) {
        let (rows, dead) = (tables.rows.quotedIdentifier, tables.dead.quotedIdentifier)
        cellsOfAllBuckets = "SELECT id, count, data FROM \(tables.cells.quotedIdentifier) WHERE bucket >= 0"
        cellsOfBucket = "SELECT id, count, data FROM \(tables.cells.quotedIdentifier) WHERE bucket = ?1"
        loose = "SELECT docid, bucket, code FROM \(rows) INDEXED BY \(tables.looseIndex) WHERE state = 2"
        dirty = "SELECT docid FROM \(rows) INDEXED BY \(tables.dirtyIndex) WHERE state = 0"
        anyDead = "SELECT 1 FROM \(dead) LIMIT 1"
        isDead = "SELECT 1 FROM \(dead) WHERE cell = ?1 AND slot = ?2"
    }
}

/// The index that a connection has searched last, so that a search need not make sense of its definition again. Used like the connection, by one
/// thread at a time.
final class KnownVectorIndex {
    /// The index, and the texts of its row in the registry.
    @exclusivity(unchecked) private var known: (texts: [[UInt8]], index: SearchedVectorIndex)?

    /// Returns the index in the row of the registry that a statement is on; `nil` if the row makes no sense.
    ///
    /// - Parameters:
    ///   - textColumns: The columns that do not change while an index exists.
    ///   - read: Reads the row.
    func index(_ statement: Statement, textColumns: Range<Int>, read: (Statement) -> VectorIndexEntry?) -> SearchedVectorIndex? {
        if let known, textColumns.allSatisfy({ known.texts[$0].isEqual(to: statement.textBytes(at: $0)) }) {
            var entry = known.index.entry
            VectorRegistry.readNumbers(of: &entry, statement)
            return SearchedVectorIndex(entry: entry, sql: known.index.sql)
        }
        let texts = textColumns.map { Array(statement.textBytes(at: $0)) }
        guard let entry = read(statement) else { return nil }
        let index = SearchedVectorIndex(entry: entry, sql: VectorSearchSQL(entry.tables))
        known = (texts, index)
        return index
    }
}
