import Base
import SQLiteEngine

/// Writes salvaged rows into a new database file.
final class SalvageWriter {
    private let connection: Connection
    private var inserts: [ExactString: TableStatements] = [:]
    private var collections: [CollectionTables] = []
    private static let rowsPerTransaction = 5_000

    /// The number of rows that were passed to ``insert(_:into:)``.
    private(set) var rowCount = 0

    init(_ bundle: BundlePath, _ encryption: EncryptedFileSystem?) throws {
        connection = try Connection(path: bundle.sqliteFile, mode: .create, encryption: encryption)
        // The file is not used before it has been flushed completely.
        try connection.execute("PRAGMA synchronous=off")
        if encryption != nil { try connection.execute("PRAGMA temp_store=memory") }
        try Schema.create(on: connection, publicUUID: InfoStore.makeUUID(), privateUUID: InfoStore.makeUUID())
        try createCollection(.default)
        try connection.execute("BEGIN")
    }

    deinit {
        connection.closeLoggingErrors()
    }

    func setInformation(_ key: String, to bytes: [UInt8]) throws { try InfoStore.set(key, to: bytes, on: connection) }

    /// Sets the last sequences and the numbers of removed rows of the collections.
    func setCounts(_ counts: [ExactString: StoreCounts]) throws {
        for (store, counts) in counts { try SequenceCounter.write(counts, of: store.string, on: connection) }
    }

    /// Creates the tables of a collection, unless they exist.
    func createCollection(_ id: CollectionID) throws {
        guard inserts[ExactString(id.fullName)] == nil else { return }
        let tables = CollectionTables(id)
        for name in tables.names { try connection.execute(Schema.createTable(name)) }
        collections.append(tables)
        // A row that was found twice is replaced by its newer form.
        func insert(_ table: String) -> PreparedStatement {
            PreparedStatement(
                """
                INSERT INTO \(table) (key, sequence, flags, version, body, expiration, extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
                ON CONFLICT (key) DO UPDATE SET sequence = ?2, flags = ?3, version = ?4, body = ?5, expiration = ?6, extra = ?7 \
                WHERE ?2 > sequence
                """
            )
        }
        let live = insert(tables.live)
        inserts[ExactString(id.fullName)] = TableStatements(live: live, tombstones: tables.tombstones.map(insert) ?? live)
    }

    /// Inserts the row of a document, or replaces a row of it with an earlier sequence.
    ///
    /// - Returns: Whether the row was stored. It is not if the document has a row with the same or a later sequence already, or if the
    ///   collection was not created with ``createCollection(_:)``.
    func insert(_ row: DamagedRow, into collection: CollectionID) throws -> Bool {
        guard let statements = inserts[ExactString(collection.fullName)] else { return false }
        let statement = try statements[isTombstone: row.isDeleted].on(connection)
        try statement.bindText(row.id, at: 1)
        try statement.bind(row.sequence, at: 2)
        try statement.bind(row.flags, at: 3)
        try statement.bindBlob(row.version, at: 4)
        if row.body.isEmpty { try statement.bindNull(at: 5) } else { try statement.bindBlob(row.body, at: 5) }
        if let expiration = row.expiration { try statement.bind(expiration, at: 6) } else { try statement.bindNull(at: 6) }
        if let extra = row.extra { try statement.bindBlob(extra, at: 7) } else { try statement.bindNull(at: 7) }
        let before = try connection.scalar("SELECT total_changes()") ?? 0
        try statement.run()
        let isStored = try connection.scalar("SELECT total_changes()") ?? 0 > before
        rowCount += 1
        if rowCount % Self.rowsPerTransaction == 0 { try connection.execute("COMMIT; BEGIN") }
        return isStored
    }

    /// Creates a table and inserts rows, which contain no documents.
    ///
    /// - Parameters:
    ///   - statement: The statement that creates the table.
    ///   - columns: The names of the columns in the rows, in their order. Columns that the new table does not have are left out.
    func copyTable(_ name: String, _ statement: String, columns: [String], _ rows: [StoredRecord]) throws {
        try connection.execute(statement)
        let known = Set(exactly: try connection.texts("SELECT name FROM pragma_table_info(?)", name))
        let places = columns.indices.filter { known.contains(columns[$0]) }
        guard !places.isEmpty else { return }
        let names = places.map { columns[$0].quotedIdentifier }.joined(separator: ", ")
        let values = places.map { _ in "?" }.joined(separator: ", ")
        let insert = try connection.prepare("INSERT OR REPLACE INTO \(name.quotedIdentifier) (\(names)) VALUES (\(values))")
        defer { insert.finalize() }
        for row in rows {
            for (index, place) in places.enumerated() {
                try insert.bind(place < row.values.count ? row.values[place] : .null, at: index + 1)
            }
            try insert.run()
            insert.reset()
        }
    }

    /// Repairs what belongs to several rows, and closes the file when it is on the medium.
    func finish(_ report: inout SalvageReport) throws {
        for tables in collections {
            let repair = CollectionRepair(tables, on: connection)
            try repair.removeOlderStates()
            for sequence in try repair.renumber() {
                report.note(tables.store, "a document got the new sequence \(sequence), because another one has its sequence")
            }
            try repair.setLastSequence()
        }
        try connection.execute("COMMIT")
        guard try connection.checkpoint() else { throw StoreError.locked(path: connection.path) }
        try connection.close()
    }
}

extension Statement {
    fileprivate func bind(_ value: StoredRecord.Value, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let number): try bind(number, at: index)
        case .real(let number): try bind(number, at: index)
        case .text(let bytes): try bindText(String(decoding: bytes, as: UTF8.self), at: index)
        case .blob(let bytes): try bindBlob(bytes, at: index)
        }
    }
}
