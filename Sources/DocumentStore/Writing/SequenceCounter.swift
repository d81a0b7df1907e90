import SQLiteEngine

/// The row of a store in `kvmeta`: its last sequence and how many rows have left it (Storage format 2.5).
struct SequenceCounter {
    let store: String
    private(set) var lastSequence: UInt64
    private(set) var purgeCount: Int64
    private(set) var isChanged = false

    /// Reads the row. A missing one, and one that is behind the newest document, is made good: used numbers must never be
    /// given again.
    init(_ tables: CollectionTables, on connection: Connection) throws {
        store = tables.store
        let statement = try connection.cachedStatement("SELECT lastSeq, purgeCnt FROM kvmeta WHERE name = ?")
        defer { statement.reset() }
        try statement.bindText(store, at: 1)
        let exists = try statement.step()
        lastSequence = exists ? UInt64(max(0, statement.int64(at: 0))) : 0
        purgeCount = exists ? statement.int64(at: 1) : 0
        for table in [tables.live, tables.tombstones].compactMap({ $0 }) {
            let newest =
                exists
                ? "SELECT sequence FROM \(table) ORDER BY rowid DESC LIMIT 1"
                : "SELECT max(sequence) FROM \(table)"
            lastSequence = max(lastSequence, UInt64(max(0, try connection.scalar(newest) ?? 0)))
        }
    }

    /// The counter of rows that have left a table of tombstones, which has no sequences of its own.
    init(tombstonesOf tables: CollectionTables, on connection: Connection) throws {
        store = "del_" + tables.store
        lastSequence = 0
        let statement = try connection.cachedStatement("SELECT purgeCnt FROM kvmeta WHERE name = ?")
        defer { statement.reset() }
        try statement.bindText(store, at: 1)
        purgeCount = try statement.step() ? statement.int64(at: 0) : 0
    }

    var next: UInt64 { lastSequence &+ 1 }

    mutating func advance() {
        lastSequence &+= 1
        isChanged = true
    }

    mutating func countPurge(_ rows: Int = 1) {
        purgeCount += Int64(rows)
        isChanged = true
    }

    mutating func store(on connection: Connection) throws {
        guard isChanged else { return }
        let statement = try connection.cachedStatement(
            "INSERT OR REPLACE INTO kvmeta (name, lastSeq, purgeCnt) VALUES (?, ?, ?)"
        )
        try statement.bindText(store, at: 1)
        try statement.bind(Int64(bitPattern: lastSequence), at: 2)
        try statement.bind(purgeCount, at: 3)
        try statement.run()
        isChanged = false
    }
}
