import SQLiteEngine

/// The row of a store in `kvmeta`: its last sequence and the number of rows removed from it (Storage format 2.5).
struct SequenceCounter {
    let store: String
    private(set) var lastSequence: UInt64
    /// The last sequence when the row was read.
    private var sequenceAtStart: UInt64 = 0
    private(set) var purgeCount: Int64
    private(set) var isChanged = false
    /// The path of the file, for errors.
    private let path: String

    /// The prefix of the name of a store's counter of removed tombstones.
    static let tombstonePrefix = "del_"

    /// Reads the row. If it is missing, or lower than the sequences of documents, the value is corrected, because a used sequence must
    /// never be assigned again. Without an index on sequences only the newest rows are read, to avoid a scan of the tables.
    init(_ tables: CollectionTables, on connection: Connection) throws {
        store = tables.store
        path = connection.path
        let statement = try connection.cachedStatement("SELECT lastSeq, purgeCnt FROM kvmeta WHERE name = ?")
        defer { statement.reset() }
        try statement.bindText(store, at: 1)
        let exists = try statement.step()
        lastSequence = exists ? UInt64(max(0, statement.int64(at: 0))) : 0
        purgeCount = exists ? statement.int64(at: 1) : 0
        for name in tables.names {
            let table = name.quotedIdentifier
            let newest =
                try exists && !connection.contains("index", named: name + "_seqs")
                ? "SELECT max(sequence) FROM (SELECT sequence FROM \(table) ORDER BY rowid DESC LIMIT 100)"
                : "SELECT max(sequence) FROM \(table)"
            lastSequence = max(lastSequence, UInt64(max(0, try connection.scalar(newest) ?? 0)))
        }
        sequenceAtStart = lastSequence
    }

    /// Reads the counter of rows removed from a table of tombstones, which has no sequences of its own.
    init(tombstonesOf tables: CollectionTables, on connection: Connection) throws {
        store = Self.tombstonePrefix + tables.store
        path = connection.path
        lastSequence = 0
        let statement = try connection.cachedStatement("SELECT purgeCnt FROM kvmeta WHERE name = ?")
        defer { statement.reset() }
        try statement.bindText(store, at: 1)
        purgeCount = try statement.step() ? statement.int64(at: 0) : 0
    }

    /// The highest sequence that can be stored. No real database reaches it, but a damaged or hostile file can contain it.
    private static let maximum = UInt64(Int64.max)

    /// The sequence of the next change.
    ///
    /// - Throws: `corrupt` if all sequences have been used.
    var next: UInt64 {
        get throws(StoreError) {
            guard lastSequence < Self.maximum else {
                throw .corrupt(path: path, reason: "the last sequence of the store \(store) is the highest possible one")
            }
            return lastSequence + 1
        }
    }

    /// The sequences that were assigned since the row was read, after the last one before.
    var ownSequences: ClosedRange<UInt64> { sequenceAtStart...max(sequenceAtStart, lastSequence) }

    /// Records a change with the sequence ``next``.
    mutating func advance() {
        lastSequence = min(lastSequence, Self.maximum - 1) + 1
        isChanged = true
    }

    /// Counts a row removed from the store. The count may wrap around, because only a difference of two values is meaningful.
    mutating func countPurge() {
        purgeCount &+= 1
        isChanged = true
    }

    /// Writes the row to `kvmeta` if it has changed, with the statement of ``insertion``.
    mutating func store(with statement: () throws -> Statement) throws {
        guard isChanged else { return }
        try Self.write(store, lastSequence, purgeCount, with: try statement())
        isChanged = false
    }

    /// Writes the rows of a store and of its tombstones.
    static func write(_ counts: StoreCounts, of store: String, on connection: Connection) throws {
        let statement = try connection.cachedStatement(insertion)
        try write(store, counts.lastSequence, counts.purgeCount, with: statement)
        guard counts.tombstonePurgeCount != 0 else { return }
        try write(tombstonePrefix + store, 0, counts.tombstonePurgeCount, with: statement)
    }

    /// The statement that writes a row: name, last sequence, count of removed rows.
    static let insertion = "INSERT OR REPLACE INTO kvmeta (name, lastSeq, purgeCnt) VALUES (?, ?, ?)"

    private static func write(_ store: String, _ lastSequence: UInt64, _ purgeCount: Int64, with statement: Statement) throws {
        try statement.bindText(store, at: 1)
        try statement.bind(Int64(clamping: lastSequence), at: 2)
        try statement.bind(purgeCount, at: 3)
        try statement.run()
    }
}
