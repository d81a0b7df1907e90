import SQLiteEngine

/// The writer's cached state of a collection, valid as long as no other process has written to the file.
final class CollectionWriteState {
    // Safe: the write lock gives exclusive access to these properties.
    @exclusivity(unchecked) var counter: SequenceCounter
    @exclusivity(unchecked) var tombstoneCounter: SequenceCounter
    /// Whether the table that can hold tombstones is known to be empty, so that a lookup for a new document can be skipped.
    @exclusivity(unchecked) var hasNoTombstones: Bool

    /// Whether a transaction has changed counts that are not stored yet.
    var isChanged: Bool { counter.isChanged || tombstoneCounter.isChanged }

    var counts: StoreCounts {
        StoreCounts(lastSequence: counter.lastSequence, purgeCount: counter.purgeCount, tombstonePurgeCount: tombstoneCounter.purgeCount)
    }

    init(_ collection: CollectionStore, on connection: Connection) throws {
        counter = try SequenceCounter(collection.tables, on: connection)
        tombstoneCounter = try SequenceCounter(tombstonesOf: collection.tables, on: connection)
        let any = try connection.prepare("SELECT 1 FROM \(collection.tables.tombstones ?? collection.tables.live) LIMIT 1")
        defer { any.finalize() }
        hasNoTombstones = try !any.step()
    }
}
