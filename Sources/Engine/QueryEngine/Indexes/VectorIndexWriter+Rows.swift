import SQLiteEngine

/// Changing the rows of an index, of which there is one for each document (Vector search FL-4).
extension VectorIndexWriter {
    /// Stores a vector outside of the cells.
    func setLoose(_ row: Int64, bucket: Int64, _ entry: [UInt8], sequence: Int64? = nil) throws {
        let statement = try connection.cachedStatement(
            "INSERT INTO \(rows) (docid, state, bucket, code, sequence) VALUES (?, 2, ?, ?, ?) ON CONFLICT (docid) DO UPDATE SET state = 2, "
                + "bucket = excluded.bucket, code = excluded.code, sequence = excluded.sequence, cell = NULL, slot = NULL"
        )
        defer { statement.resetAndClear() }
        try statement.bind(row, at: 1)
        try statement.bind(bucket, at: 2)
        try statement.bindBlob(entry, at: 3)
        if let sequence { try statement.bind(sequence, at: 4) }
        try statement.run()
    }

    /// Makes a place in a cell one that does not count.
    func bury(_ place: (cell: Int64, slot: Int64)) throws {
        let statement = try connection.cachedStatement("INSERT OR IGNORE INTO \(dead) (cell, slot) VALUES (?, ?)")
        defer { statement.reset() }
        try statement.bind(place.cell, at: 1)
        try statement.bind(place.slot, at: 2)
        try statement.run()
    }

    /// Removes a document.
    func remove(_ row: Int64, place: (cell: Int64, slot: Int64)?) throws {
        if let place { try bury(place) }
        let statement = try connection.cachedStatement("DELETE FROM \(rows) WHERE docid = ?")
        defer { statement.reset() }
        try statement.bind(row, at: 1)
        try statement.run()
    }
}
