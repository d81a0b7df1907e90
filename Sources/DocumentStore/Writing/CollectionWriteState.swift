import SQLiteEngine

/// What the writer knows of a collection as long as nobody else has written to the file.
final class CollectionWriteState {
    // Exclusivity of these is given by the write lock.
    @exclusivity(unchecked) var counter: SequenceCounter
    @exclusivity(unchecked) var tombstoneCounter: SequenceCounter
    /// Known to hold no tombstones in a table of their own: then a new document need not be looked for there.
    @exclusivity(unchecked) var hasNoTombstones: Bool

    /// Whether a transaction has changed anything that it has not stored yet.
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
