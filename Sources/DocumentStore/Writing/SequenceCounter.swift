import SQLiteEngine

/// The row of a store in `kvmeta`: its last sequence and how many rows have left it (Storage format 2.5).
struct SequenceCounter {
    let store: String
    private(set) var lastSequence: UInt64
    private(set) var purgeCount: Int64
    private(set) var isChanged = false
    /// Names the file in errors.
    private let path: String

    /// What the name of a store's counter of tombstones begins with.
    static let tombstonePrefix = "del_"

    /// Reads the row. A missing one, and one that is behind the documents, is made good: used numbers must never be given
    /// again. Without an index on sequences only the newest rows are looked at, so as not to walk the tables.
    init(_ tables: CollectionTables, on connection: Connection) throws {
        store = tables.store
        path = connection.path
        let statement = try connection.cachedStatement("SELECT lastSeq, purgeCnt FROM kvmeta WHERE name = ?")
        defer { statement.reset() }
        try statement.bindText(store, at: 1)
        let exists = try statement.step()
        lastSequence = exists ? UInt64(max(0, statement.int64(at: 0))) : 0
        purgeCount = exists ? statement.int64(at: 1) : 0
        for name in [tables.liveName, tables.tombstoneName].compactMap({ $0 }) {
            let table = name.quotedIdentifier
            let newest =
                try exists && !Self.hasSequenceIndex(name, on: connection)
                ? "SELECT max(sequence) FROM (SELECT sequence FROM \(table) ORDER BY rowid DESC LIMIT 100)"
                : "SELECT max(sequence) FROM \(table)"
            lastSequence = max(lastSequence, UInt64(max(0, try connection.scalar(newest) ?? 0)))
        }
    }

    /// The counter of rows that have left a table of tombstones, which has no sequences of its own.
    init(tombstonesOf tables: CollectionTables, on connection: Connection) throws {
        store = Self.tombstonePrefix + tables.store
        path = connection.path
        lastSequence = 0
        let statement = try connection.cachedStatement("SELECT purgeCnt FROM kvmeta WHERE name = ?")
        defer { statement.reset() }
        try statement.bindText(store, at: 1)
        purgeCount = try statement.step() ? statement.int64(at: 0) : 0
    }

    /// Whether the highest sequence of a table can be looked up.
    private static func hasSequenceIndex(_ table: String, on connection: Connection) throws -> Bool {
        let statement = try connection.prepare("SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?")
        defer { statement.finalize() }
        try statement.bindText(table + "_seqs", at: 1)
        return try statement.step()
    }

    /// The highest sequence that can be stored. No database comes near it; a damaged or hostile one may say that it has been given.
    private static let maximum = UInt64(Int64.max)

    /// The sequence that the next change gets.
    ///
    /// - Throws: `corrupt` when there is none any more.
    var next: UInt64 {
        get throws(StoreError) {
            guard lastSequence < Self.maximum else {
                throw .corrupt(path: path, reason: "the last sequence of the store \(store) is the highest there can be")
            }
            return lastSequence + 1
        }
    }

    /// Counts a change that got the sequence ``next``.
    mutating func advance() {
        lastSequence = min(lastSequence, Self.maximum - 1) + 1
        isChanged = true
    }

    /// Counts a row that has left the store. Only whether the count is the same tells something, so that it may begin anew.
    mutating func countPurge() {
        purgeCount &+= 1
        isChanged = true
    }

    mutating func store(on connection: Connection) throws {
        guard isChanged else { return }
        let statement = try connection.cachedStatement("INSERT OR REPLACE INTO kvmeta (name, lastSeq, purgeCnt) VALUES (?, ?, ?)")
        try statement.bindText(store, at: 1)
        try statement.bind(Int64(bitPattern: lastSequence), at: 2)
        try statement.bind(purgeCount, at: 3)
        try statement.run()
        isChanged = false
    }
}
