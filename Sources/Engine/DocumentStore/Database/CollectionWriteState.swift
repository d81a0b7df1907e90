import SQLiteEngine

/// The writer's cached state of a collection, valid as long as no other process has written to the file.
final class CollectionWriteState {
    // Safe: the write lock gives exclusive access to these properties.
    @exclusivity(unchecked) var counter: SequenceCounter
    @exclusivity(unchecked) var tombstoneCounter: SequenceCounter
    /// Whether the table that can hold tombstones is known to be empty, so that a lookup for a new document can be skipped.
    @exclusivity(unchecked) var hasNoTombstones: Bool
    /// The change of the number of live documents by the transaction.
    @exclusivity(unchecked) var countChange: Int64 = 0
    @exclusivity(unchecked) var texts = TextDeferral()
    /// See ``CollectionStore/number``.
    let collectionNumber: Int

    /// Whether a transaction has changed counts that are not stored yet.
    var isChanged: Bool { counter.isChanged || tombstoneCounter.isChanged }

    var counts: StoreCounts {
        StoreCounts(lastSequence: counter.lastSequence, purgeCount: counter.purgeCount, tombstonePurgeCount: tombstoneCounter.purgeCount)
    }

    /// A point to which ``undo(since:)`` can return.
    struct Mark {
        fileprivate let counter: SequenceCounter
        fileprivate let tombstoneCounter: SequenceCounter
        fileprivate let hasNoTombstones: Bool
        fileprivate let countChange: Int64
    }

    var mark: Mark {
        Mark(counter: counter, tombstoneCounter: tombstoneCounter, hasNoTombstones: hasNoTombstones, countChange: countChange)
    }

    init(_ collection: CollectionStore, on connection: Connection) throws {
        collectionNumber = collection.number
        counter = try SequenceCounter(collection.tables, on: connection)
        tombstoneCounter = try SequenceCounter(tombstonesOf: collection.tables, on: connection)
        let any = try connection.prepare("SELECT 1 FROM \(collection.tables.tombstones ?? collection.tables.live) LIMIT 1")
        defer { any.finalize() }
        hasNoTombstones = try !any.step()
    }

    /// Returns to the state at a mark, after the changes in the file since then have been undone.
    func undo(since mark: Mark) {
        texts.forgetIndexes()
        counter = mark.counter
        tombstoneCounter = mark.tombstoneCounter
        hasNoTombstones = mark.hasNoTombstones
        countChange = mark.countChange
    }

    func storeCounters(on context: ConnectionContext) throws {
        let statement = { try context.storeCounter.on(context.connection) }
        try counter.store(with: statement)
        try tombstoneCounter.store(with: statement)
    }
}
