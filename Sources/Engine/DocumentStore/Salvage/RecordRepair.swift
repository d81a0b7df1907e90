import Fleece
import SQLiteEngine

/// Repairs the records and the indexes of a database whose pages are intact, in one transaction.
struct RecordRepair {
    private let file: DatabaseFile
    private let writer: Writer
    private var connection: Connection { writer.connection }

    init(_ file: DatabaseFile, _ writer: Writer) { (self.file, self.writer) = (file, writer) }

    /// - Returns: What was done.
    func run() throws -> [String] {
        var changes: [String] = []
        func note(_ count: Int, _ text: (Int) -> String) {
            if count > 0 { changes.append(text(count)) }
        }
        // First of all: changing a document fails if an index lacks its entry.
        for id in try file.collectionIDs() {
            if let collection = try file.collection(id) { try dropHousekeepingIndexes(of: collection.tables) }
        }
        try rebuildSQLIndexes()
        for id in try file.collectionIDs() {
            guard let collection = try file.collection(id) else { continue }
            note(try repairFlags(of: collection)) { "corrected the flags of \(Repair.counted($0, "document")) in \(id.fullName)" }
            let repair = CollectionRepair(collection.tables, on: connection)
            note(try repair.removeOlderStates()) { "removed the older state of \(Repair.counted($0, "document")) in \(id.fullName)" }
            note(try moveMisplaced(collection)) { "moved \(Repair.counted($0, "document")) of \(id.fullName) to the table for their state" }
            note(try repair.renumber().count) { "gave \(Repair.counted($0, "document")) of \(id.fullName) a new sequence" }
            note(try repair.setLastSequence() ? 1 : 0) { _ in "corrected the last sequence of \(id.fullName)" }
        }
        changes += try rebuildIndexes()
        return changes
    }

    /// Drops the indexes that are created again when they are needed, and creates the index of expirations again.
    private func dropHousekeepingIndexes(of tables: CollectionTables) throws {
        for table in tables.names {
            for suffix in ["_seqs", "_conflicts", "_blobs", "_expiration"] {
                try connection.execute("DROP INDEX IF EXISTS \("\(table)\(suffix)".quotedIdentifier)")
            }
            if tables.hasExpiration { try connection.execute(Schema.createExpirationIndex(table)) }
        }
    }

    /// Rebuilds the indexes that SQLite maintains. One that calls an unknown function is left as it is.
    private func rebuildSQLIndexes() throws {
        for index in try connection.texts("SELECT name FROM sqlite_master WHERE type = 'index'") {
            do {
                try connection.savepoint("reindex") { try connection.execute("REINDEX \(index.quotedIdentifier)") }
            } catch let error as SQLiteError where error.extendedCode == 1 {
                continue
            }
        }
    }

    /// Corrects the flags that are derived from the revision tree and the bodies.
    private func repairFlags(of collection: CollectionStore) throws -> Int {
        var count = 0
        for (table, isTombstoneTable) in [(collection.tables.live, false), (collection.tables.tombstones, true)] {
            guard let table else { continue }
            let rows = try connection.prepare("SELECT key, \(collection.tables.rowColumns) FROM \(table)")
            defer { rows.finalize() }
            let update = try connection.prepare("UPDATE \(table) SET flags = ?2 WHERE rowid = ?1")
            defer { update.finalize() }
            while try rows.step() {
                // Damaged rows are not repaired here.
                guard
                    let row = try? StoredRow(rows, id: rows.text(at: 0), firstColumn: 1, isInTombstoneTable: isTombstoneTable),
                    let revisions = try? row.revisions()
                else { continue }
                let wanted = flags(of: revisions, row.flags)
                guard wanted != row.flags else { continue }
                let other = rows.int64(at: 3) & ~Int64(UInt16.max)
                try update.bind(row.rowID, at: 1)
                try update.bind(other | Int64(wanted.rawValue), at: 2)
                try update.run()
                update.reset()
                count += 1
            }
        }
        return count
    }

    private func flags(of revisions: StoredRevisions, _ found: RecordFlags) -> RecordFlags {
        var flags = found
        func set(_ flag: RecordFlags, _ isSet: Bool) {
            if isSet { flags.insert(flag) } else { flags.remove(flag) }
        }
        switch revisions {
        case .tree(let tree):
            set(.deleted, tree.current?.isDeleted == true)
            set(.conflicted, tree.hasConflict)
        case .known(let known): set(.conflicted, known.conflicting != nil)
        }
        let keys = writer.context.sharedKeys
        let hasBlobs =
            !found.contains(.hasAttachments)
            && revisions.bodies.contains { body in
                body.withUnsafeBytes { bytes in
                    // Damaged bodies have no blobs.
                    guard (try? Validator.validate(bytes)) != nil, let root = Value(root: bytes) else { return false }
                    return !BlobReferences.digests(in: root, sharedKeys: keys).isEmpty
                }
            }
        if hasBlobs { flags.insert(.hasAttachments) }
        return flags
    }

    /// Moves tombstones to their table, and documents that are not deleted out of it. No document may be in both tables.
    private func moveMisplaced(_ collection: CollectionStore) throws -> Int {
        let tables = collection.tables
        guard let tombstones = tables.tombstones else { return 0 }
        var moves = [(tombstones, tables.live, "(flags & 1) = 0")]
        // Files from before version 500 have tombstones of the default collection in the other table.
        if !collection.id.isDefault { moves.append((tables.live, tombstones, "(flags & 1) != 0")) }
        var count = 0
        for (source, target, condition) in moves {
            let columns = "key, sequence, flags, version, body, expiration, extra"
            count += Int(clamping: try connection.scalar("SELECT count(*) FROM \(source) WHERE \(condition)") ?? 0)
            try connection.execute("INSERT INTO \(target) (\(columns)) SELECT \(columns) FROM \(source) WHERE \(condition)")
            try connection.execute("DELETE FROM \(source) WHERE \(condition)")
        }
        return count
    }

    private func rebuildIndexes() throws -> [String] {
        guard let support = file.options.indexes else { return [] }
        // The beginning of the transaction may have created again what was missing of vector indexes.
        let indexes = try count(ofRowsIn: "indexes") + count(ofRowsIn: VectorIndexTables.registry)
        let failures = try support.rebuild(file, writer)
        if indexes > 0 { try IndexFormat.note(on: connection) }
        return (indexes > 0 ? ["rebuilt \(Repair.counted(indexes, "index", "indexes"))"] : []) + failures
    }

    /// Returns the number of rows of a table; 0 if there is no such table.
    private func count(ofRowsIn table: String) throws -> Int {
        guard try connection.contains("table", named: table) else { return 0 }
        return Int(clamping: try connection.scalar("SELECT count(*) FROM \(table.quotedIdentifier)") ?? 0)
    }
}
