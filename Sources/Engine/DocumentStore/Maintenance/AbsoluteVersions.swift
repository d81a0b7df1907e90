import Base
import SQLiteEngine

/// Names the database itself in its versions, before it gets another identity: otherwise all copies of the database would claim its versions
/// as their own (Version vectors 3.10).
struct AbsoluteVersions {
    private let own: SourceID
    private let writer: Writer

    /// The number of rows that are read before they are changed.
    private static let batchSize = 500

    /// - Parameter own: The identity of the database until now.
    init(of own: SourceID, _ writer: Writer) { (self.own, self.writer) = (own, writer) }

    /// Replaces ``SourceID/me`` in all records of a collection.
    ///
    /// - Throws: `corruptDocument` if a record cannot be decoded.
    func apply(to collection: CollectionStore) throws {
        for (table, isTombstoneTable) in [(collection.tables.live, false), (collection.tables.tombstones, true)] {
            guard let table else { continue }
            var last = Int64.min
            while let rows = try nextRows(after: last, table, collection, isTombstoneTable), let end = rows.last?.rowID {
                for row in rows { try rewrite(row, table) }
                last = end
            }
        }
    }

    private func nextRows(
        after rowID: Int64,
        _ table: String,
        _ collection: CollectionStore,
        _ isTombstoneTable: Bool
    ) throws -> [StoredRow]? {
        let statement = try writer.connection.prepare(
            "SELECT key, \(collection.tables.rowColumns) FROM \(table) WHERE rowid > ?1 ORDER BY rowid LIMIT \(Self.batchSize)"
        )
        defer { statement.finalize() }
        try statement.bind(rowID, at: 1)
        var rows: [StoredRow] = []
        while try statement.step() {
            rows.append(try StoredRow(statement, id: statement.text(at: 0), firstColumn: 1, isInTombstoneTable: isTombstoneTable))
        }
        return rows.isEmpty ? nil : rows
    }

    private func rewrite(_ row: StoredRow, _ table: String) throws {
        guard !row.hasTree else { return }
        var known = try row.knownRevisions()
        known.current.lineage = known.current.lineage.absolute(own)
        for (remote, revision) in known.remotes { known.remotes[remote]?.lineage = revision.lineage.absolute(own) }
        known.names = known.names?.absolute(own)
        // The mark of a pushed revision stays a mark.
        if row.flags.contains(.synced) { known.remotes[1] = nil }
        let columns = try known.columns(of: row.id)
        let statement = try writer.connection.cachedStatement("UPDATE \(table) SET version = ?2, extra = ?3 WHERE rowid = ?1")
        defer { statement.reset() }
        try statement.bind(row.rowID, at: 1)
        try statement.bindBlob(columns.version, at: 2)
        if let extra = columns.extra { try statement.bindBlob(extra, at: 3) } else { try statement.bindNull(at: 3) }
        try statement.run()
    }
}

extension Lineage {
    /// Returns the name with the ID of the database in place of ``SourceID/me``.
    fileprivate func absolute(_ own: SourceID) -> Lineage {
        guard case .vector(let vector, let current) = self else { return self }
        return .vector(vector.absolute(own), current: current.absolute(own))
    }
}
