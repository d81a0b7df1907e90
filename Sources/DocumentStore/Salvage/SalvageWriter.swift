import ExactStrings
import Fleece
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
        try? connection.close()
    }

    func setInformation(_ key: String, to bytes: [UInt8]) throws { try InfoStore.set(key, to: bytes, on: connection) }

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

    /// Inserts the row of a document.
    ///
    /// - Returns: `false` if the document was there already.
    func insert(_ row: DamagedRow, into collection: CollectionID) throws -> Bool {
        guard let statements = inserts[ExactString(collection.fullName)] else { return false }
        let statement = try statements[isTombstone: row.isDeleted].on(connection)
        try statement.bindText(row.id, at: 1)
        try statement.bind(row.sequence, at: 2)
        try statement.bind(row.flags, at: 3)
        try statement.bindBlob(row.version, at: 4)
        try statement.bindBlob(row.body, at: 5)
        if let expiration = row.expiration { try statement.bind(expiration, at: 6) } else { try statement.bindNull(at: 6) }
        if let extra = row.extra { try statement.bindBlob(extra, at: 7) } else { try statement.bindNull(at: 7) }
        let before = try connection.scalar("SELECT total_changes()") ?? 0
        try statement.run()
        let isNew = try connection.scalar("SELECT total_changes()") ?? 0 > before
        rowCount += 1
        if rowCount % Self.rowsPerTransaction == 0 { try connection.execute("COMMIT; BEGIN") }
        return isNew
    }

    /// Repairs what belongs to several rows, and closes the file when it is on the medium.
    func finish(_ report: inout SalvageReport) throws {
        for tables in collections {
            if let tombstones = tables.tombstones {
                // Of a document that is live and deleted, the newer state counts.
                for (table, other) in [(tables.live, tombstones), (tombstones, tables.live)] {
                    try connection.execute(
                        """
                        DELETE FROM \(table) WHERE EXISTS \
                        (SELECT 1 FROM \(other) AS o WHERE o.key = \(table).key AND o.sequence > \(table).sequence)
                        """
                    )
                }
            }
            try renumber(tables, &report)
        }
        try connection.execute("COMMIT")
        guard try connection.checkpoint() else { throw StoreError.locked(path: connection.path) }
        try connection.close()
    }

    /// Gives documents that have the sequence of another one a new sequence, and sets the last sequence of the collection.
    private func renumber(_ tables: CollectionTables, _ report: inout SalvageReport) throws {
        let all = tables.all.map { "SELECT sequence FROM \($0)" }.joined(separator: " UNION ALL ")
        var last = max(try connection.scalar("SELECT max(sequence) FROM (\(all))") ?? 0, 0)
        for table in tables.all {
            let others = tables.all.filter { $0 != table }
            let elsewhere = others.map { " OR EXISTS (SELECT 1 FROM \($0) AS o WHERE o.sequence = t.sequence AND o.rowid < t.rowid)" }
                .joined()
            let statement = try connection.prepare(
                """
                SELECT rowid FROM \(table) AS t WHERE sequence <= 0 \
                OR rowid NOT IN (SELECT min(rowid) FROM \(table) GROUP BY sequence)\(others.isEmpty ? "" : elsewhere)
                """
            )
            var rows: [Int64] = []
            while try statement.step() { rows.append(statement.int64(at: 0)) }
            statement.finalize()
            for row in rows where last < .max {
                last += 1
                try connection.execute("UPDATE \(table) SET sequence = \(last) WHERE rowid = \(row)")
                report.note(tables.store, "a document got the new sequence \(last), because another one has its sequence")
            }
        }
        let statement = try connection.prepare("INSERT OR REPLACE INTO kvmeta (name, lastSeq, purgeCnt) VALUES (?1, ?2, 0)")
        defer { statement.finalize() }
        try statement.bindText(tables.store, at: 1)
        try statement.bind(last, at: 2)
        try statement.run()
    }
}

extension DamagedRow {
    /// Checks the revision tree and the bodies. The body of a revision that is not the current one is removed if it is damaged.
    ///
    /// - Parameter lose: Called with the ID of each revision whose body was removed, and the reason.
    /// - Throws: `corruptDocument` if the current revision cannot be read.
    mutating func check(_ keys: SharedKeys, lose: (RevisionID, String) -> Void) throws(StoreError) {
        func damaged(_ reason: String) -> StoreError { .corruptDocument(documentID: id, reason: reason) }
        guard DocumentIdentifier.isValid(id) else { throw damaged("its ID is invalid") }
        guard let version = version.withUnsafeBytes({ RevisionID(binary: $0) }) else { throw damaged("its revision ID is invalid") }
        var tree = try StoredRow(self, version: version).tree()
        guard let current = tree.current, current.id == version else { throw damaged("its revision is not the first of its tree") }
        var isChanged = false
        for index in tree.revisions.indices {
            guard let body = tree.revisions[index].body, let reason = Self.damage(of: body, keys) else { continue }
            guard index > 0 else { throw damaged(reason) }
            lose(tree.revisions[index].id, reason)
            tree.revisions[index].body = nil
            isChanged = true
        }
        guard isChanged else { return }
        // In the layout of 3.x, the body of the current revision is apart from the tree.
        if let current = tree.revisions[0].body { body = current }
        tree.revisions[0].body = nil
        extra = tree.encoded()
    }

    private static func damage(of body: [UInt8], _ keys: SharedKeys) -> String? {
        body.withUnsafeBytes { bytes -> String? in
            do throws(FleeceError) {
                try Validator.validate(bytes)
            } catch {
                return error.description
            }
            guard let root = Value(root: bytes), root.type == .dictionary else { return "its body is not a dictionary" }
            return root.firstUnknownKey(keys).map { "its body has the unknown shared key \($0)" }
        }
    }
}

extension StoredRow {
    fileprivate init(_ row: DamagedRow, version: RevisionID) {
        id = row.id
        rowID = row.rowID
        sequence = UInt64(clamping: row.sequence)
        flags = DocumentFlags(rawValue: UInt16(truncatingIfNeeded: row.flags))
        subsequence = row.flags >> 16
        self.version = version
        body = row.body
        extra = row.extra
        expiration = row.expiration
        isInTombstoneTable = row.isDeleted
    }
}
