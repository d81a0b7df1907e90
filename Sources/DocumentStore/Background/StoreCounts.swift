import ExactStrings
package import SQLiteEngine

/// How far a store has come (Storage format 2.5): every change of its documents changes one of the numbers.
package struct StoreCounts: Hashable, Sendable {
    /// The last sequence that was given.
    package var lastSequence: UInt64 = 0
    /// How many rows have left its table of live documents. Only whether it is the same tells something: the original
    /// begins anew in every session.
    package var purgeCount: Int64 = 0
    /// How many rows have left its table of tombstones.
    package var tombstonePurgeCount: Int64 = 0
}

extension StoreCounts {
    /// The counts of all stores that have been changed since they were made, as the connection sees them.
    static func all(on connection: Connection) throws -> [ExactString: StoreCounts] {
        let statement = try statement("", on: connection)
        defer { statement.reset() }
        var all: [ExactString: StoreCounts] = [:]
        while try statement.step() {
            let name = statement.text(at: 0)
            if name.hasPrefix(SequenceCounter.tombstonePrefix) {
                let store = ExactString(String(name.dropFirst(SequenceCounter.tombstonePrefix.count)))
                all[store, default: StoreCounts()].tombstonePurgeCount = statement.int64(at: 2)
            } else {
                all[ExactString(name), default: StoreCounts()].lastSequence = UInt64(clamping: statement.int64(at: 1))
                all[ExactString(name), default: StoreCounts()].purgeCount = statement.int64(at: 2)
            }
        }
        return all
    }

    /// The counts of a store, as the connection sees them.
    package init(of store: String, on connection: Connection) throws {
        self.init()
        let statement = try Self.statement(" WHERE name = ?", on: connection)
        defer { statement.reset() }
        try statement.bindText(store, at: 1)
        if try statement.step() {
            lastSequence = UInt64(clamping: statement.int64(at: 1))
            purgeCount = statement.int64(at: 2)
        }
        statement.reset()
        try statement.bindText(SequenceCounter.tombstonePrefix + store, at: 1)
        if try statement.step() { tombstonePurgeCount = statement.int64(at: 2) }
    }

    private static func statement(_ condition: String, on connection: Connection) throws -> Statement {
        do {
            return try connection.cachedStatement("SELECT name, lastSeq, purgeCnt FROM kvmeta" + condition)
        } catch {
            // Files of version 301 and before, which are opened for reading, do not count what has left them.
            return try connection.cachedStatement("SELECT name, lastSeq, 0 FROM kvmeta" + condition)
        }
    }
}
