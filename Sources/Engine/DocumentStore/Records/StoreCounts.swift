import Base
package import SQLiteEngine

/// The counters of a store (Storage format 2.5). Every change of its documents changes one of the numbers.
package struct StoreCounts: Hashable, Sendable {
    /// The last assigned sequence.
    package var lastSequence: UInt64 = 0
    /// The number of rows removed from the table of live documents. Only a difference of two values is meaningful: Couchbase Lite restarts
    /// the count in every session.
    package var purgeCount: Int64 = 0
    /// The number of rows removed from the table of tombstones.
    package var tombstonePurgeCount: Int64 = 0
}

extension StoreCounts {
    /// Returns the counts of all stores that have been changed since their creation, as the connection sees them.
    static func all(on connection: Connection) throws -> [ExactString: StoreCounts] {
        let statement = try Self.statement("", on: connection)
        defer { statement.reset() }
        var all: [ExactString: StoreCounts] = [:]
        while try statement.step() {
            let name = statement.text(at: 0)
            let prefix = SequenceCounter.tombstonePrefix.utf8
            if name.utf8.starts(with: prefix) {
                let store = ExactString(String(decoding: name.utf8.dropFirst(prefix.count), as: UTF8.self))
                all[store, default: StoreCounts()].tombstonePurgeCount = statement.int64(at: 2)
            } else {
                all[ExactString(name), default: StoreCounts()].lastSequence = UInt64(clamping: statement.int64(at: 1))
                all[ExactString(name), default: StoreCounts()].purgeCount = statement.int64(at: 2)
            }
        }
        return all
    }

    /// Reads the counts of a store, as the connection sees them.
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
            // Files of version 301 and older, which can be opened read-only, do not count removed rows. For any other error, the counts of
            // other files would look changed.
            guard try connection.scalar("SELECT 1 FROM pragma_table_info('kvmeta') WHERE name = 'purgeCnt'") == nil else { throw error }
            return try connection.cachedStatement("SELECT name, lastSeq, 0 FROM kvmeta" + condition)
        }
    }
}
