import Base
import SQLiteEngine

/// Moves the tombstones that releases before 3.1 have left in the table of live documents of the default collection to their own table, as 4.1
/// does (Version vectors 3.11). Only in databases with version vectors, because 3.x does not know how far this has got.
struct MisplacedTombstones {
    private let collection: CollectionStore
    private let writer: Writer
    private var connection: Connection { writer.connection }

    /// The number of rows that one transaction examines.
    private static let sliceSize = 10_000

    /// - Parameter collection: The default collection.
    init(of collection: CollectionStore, _ writer: Writer) { (self.collection, self.writer) = (collection, writer) }

    /// Examines the next rows, from the highest one down.
    ///
    /// - Returns: Whether rows are left.
    func moveSlice() throws -> Bool {
        guard writer.usesVersions, let tombstones = collection.tables.tombstones else { return false }
        let live = collection.tables.live
        let stored = try InfoStore.integer(InfoStore.misplacedTombstones, on: connection).map { Int64(clamping: $0) }
        guard let top = try stored ?? connection.scalar("SELECT max(rowid) FROM \(live)"), top > 0 else { return try finish(stored) }
        let rows = "SELECT rowid FROM \(live) WHERE rowid BETWEEN 1 AND \(top) ORDER BY rowid DESC LIMIT \(Self.sliceSize)"
        guard let low = try connection.scalar("SELECT min(rowid) FROM (\(rows))") else { return try finish(stored) }
        let slice = "rowid BETWEEN \(low) AND \(top) AND (flags & 1) != 0"
        let columns = "key, sequence, flags, version, body, expiration, extra"
        let state = try writer.state(of: collection)
        try writer.changing(collection) {
            try connection.execute("INSERT OR IGNORE INTO \(tombstones) (\(columns)) SELECT \(columns) FROM \(live) WHERE \(slice)")
            // A damaged file can have another row of the document there.
            let isMoved =
                "EXISTS (SELECT 1 FROM \(tombstones) AS moved WHERE moved.key = \(live).key AND moved.sequence = \(live).sequence)"
            try connection.execute("DELETE FROM \(live) WHERE \(slice) AND \(isMoved)")
        }
        if connection.changes > 0 {
            for _ in 0..<connection.changes { state.counters.documents.countPurge() }
            state.counters.hasNoTombstones = false
        }
        try InfoStore.set(InfoStore.misplacedTombstones, to: InfoStore.encode(UInt64(low - 1)), on: connection)
        return low > 1
    }

    private func finish(_ stored: Int64?) throws -> Bool {
        if stored != 0 { try InfoStore.set(InfoStore.misplacedTombstones, to: InfoStore.encode(0), on: connection) }
        return false
    }
}
