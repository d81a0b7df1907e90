import Fleece
import SQLiteEngine

extension CollectionStore {
    /// Returns the current revision of a document, or `nil` if the document does not exist, or if it is a tombstone and `includingDeleted`
    /// is `false`.
    ///
    /// Takes one lookup by key, and copies the body once without parsing it.
    package func document(_ documentID: String, includingDeleted: Bool = false) throws -> DocumentRecord? {
        try checkExists()
        return try file.readDocuments { context in
            let statements = context.statements(of: self)
            if let record = try read(documentID, with: statements.read.live, on: context) {
                return record.isDeleted && !includingDeleted ? nil : record
            }
            guard includingDeleted, tables.tombstoneName != nil else { return nil }
            return try read(documentID, with: statements.read.tombstones, on: context)
        }
    }

    private func read(_ documentID: String, with prepared: PreparedStatement, on context: ConnectionContext) throws -> DocumentRecord? {
        try prepared.find(documentID, on: context.connection) { statement in
            try context.refreshSharedKeys()
            return try Self.record(from: statement, id: documentID, firstColumn: 0, keys: context.sharedKeys)
        }
    }

    /// Reads a record from the columns sequence, flags, version, body, expiration.
    ///
    /// - Throws: `corruptDocument` if the revision ID is invalid.
    static func record(from statement: Statement, id: String, firstColumn: Int, keys: SharedKeys) throws(StoreError) -> DocumentRecord {
        guard let revision = RevisionID(binary: statement.blob(at: firstColumn + 2)) else {
            throw .corruptDocument(documentID: id, reason: "its revision ID is invalid")
        }
        let expiration = firstColumn + 4
        return DocumentRecord(
            id: id,
            sequence: UInt64(clamping: statement.int64(at: firstColumn)),
            flags: RecordFlags(rawValue: UInt16(truncatingIfNeeded: statement.int64(at: firstColumn + 1))),
            revision: revision,
            body: FleeceData(copying: RecordLayout.currentBody(in: statement.blob(at: firstColumn + 3))),
            sharedKeys: keys,
            expiration: statement.isNull(at: expiration) ? nil : statement.int64(at: expiration)
        )
    }

    /// Returns the number of documents without tombstones, as the calling thread sees it.
    ///
    /// - Complexity: O(1) if the count is known from an earlier call, and O(*n*) otherwise, where *n* is the number of rows in the table; see
    ///   ``DocumentCounts``.
    package func count() throws -> UInt64 {
        try checkExists()
        return try file.readDocuments { context in
            let connection = context.connection
            let writer = file.writerIfWritable.flatMap { $0.isInTransactionOfThisThread ? $0 : nil }
            let change = writer?.countChange(of: self) ?? 0
            // In a transaction, the state is the one before it.
            let state = writer == nil ? connection.snapshotState : connection.committedState
            if let state, let known = file.documentCounts.count(of: self, in: state) { return UInt64(max(0, known + change)) }
            let count = try connection.scalar("SELECT count(*) FROM \(tables.live) WHERE \(tables.liveCondition)") ?? 0
            if let state { file.documentCounts.record(count - change, of: self, in: state) }
            return UInt64(count)
        }
    }

    /// Returns the number of tombstones.
    ///
    /// - Complexity: O(*n*), where *n* is the number of rows in the tables.
    package func deletedCount() throws -> UInt64 {
        try checkExists()
        return try file.readDocuments { context in
            var count = try context.connection.scalar("SELECT count(*) FROM \(tables.live) WHERE NOT (\(tables.liveCondition))")
            if let tombstones = tables.tombstones {
                count = (count ?? 0) + (try context.connection.scalar("SELECT count(*) FROM \(tombstones)") ?? 0)
            }
            return UInt64(count ?? 0)
        }
    }

    /// Returns the highest sequence assigned to a document so far, or 0.
    package func lastSequence() throws -> UInt64 {
        try checkExists()
        return try file.readDocuments { try StoreCounts(of: tables.store, on: $0.connection).lastSequence }
    }

    /// The order in which documents are enumerated.
    package enum Order: Sendable {
        /// By ID, in byte order.
        case id
        /// In the order of the changes that created their current revisions.
        case sequence
    }

    /// Calls `body` with the current revision of every document until it returns `false`, in one read snapshot of the database.
    ///
    /// - Parameters:
    ///   - order: The order of the documents.
    ///   - since: Documents are included only if their sequence is higher.
    ///   - includingDeleted: Whether tombstones are included.
    ///   - documentID: Documents are included only if their ID is greater, in byte order; `nil` includes all.
    ///   - pattern: Documents are included only if their ID matches this shell pattern (`*`, `?`, `[…]`); `nil` includes all.
    ///   - skip: Is called with the ID and the error of a document that is damaged, and returns whether to go on; `nil` throws the error.
    package func forEachDocument(
        order: Order = .id,
        since: UInt64 = 0,
        after documentID: String? = nil,
        includingDeleted: Bool = false,
        matching pattern: String? = nil,
        skippingDamaged skip: ((String, StoreError) -> Bool)? = nil,
        _ body: (DocumentRecord) throws -> Bool
    ) throws {
        try checkExists()
        try file.read { context in
            let columns = "key, sequence, flags, version, body, \(tables.expirationColumn)"
            var condition = "sequence > ?1 AND (?2 IS NULL OR key GLOB ?2)"
            // Not always, because SQLite would not use the index for a condition with OR.
            if documentID != nil { condition += " AND key > ?3" }
            var sql = "SELECT \(columns) FROM \(tables.live) WHERE \(condition)"
            if !includingDeleted { sql += " AND \(tables.liveCondition)" }
            if includingDeleted, let tombstones = tables.tombstones {
                sql += " UNION ALL SELECT \(columns) FROM \(tombstones) WHERE \(condition)"
            }
            sql += order == .id ? " ORDER BY 1" : " ORDER BY 2"
            let statement = try context.connection.prepare(sql)
            defer { statement.finalize() }
            try statement.bind(Int64(clamping: since), at: 1)
            if let pattern { try statement.bindText(pattern, at: 2) }
            if let documentID { try statement.bindText(documentID, at: 3) }
            while try statement.step() {
                try context.refreshSharedKeys()
                let id = statement.text(at: 0)
                let record: DocumentRecord
                do throws(StoreError) {
                    record = try Self.record(from: statement, id: id, firstColumn: 1, keys: context.sharedKeys)
                } catch {
                    guard let skip else { throw error }
                    guard skip(id, error) else { return }
                    continue
                }
                guard try body(record) else { return }
            }
        }
    }
}
