import SQLiteEngine

/// The writer's cached state of a collection, valid as long as no other process has written to the file.
final class CollectionWriteState {
    /// What changes of documents count, and what is undone with them.
    struct Counters {
        var documents: SequenceCounter
        /// The counter of tombstones that were removed.
        var tombstones: SequenceCounter
        /// Whether the table that can hold tombstones is known to be empty, so that a lookup for a new document can be skipped.
        var hasNoTombstones: Bool
        /// The change of the number of live documents by the transaction.
        var countChange: Int64 = 0
    }

    // Safe: the write lock gives exclusive access, and each access reads or assigns a value, or counts.
    @exclusivity(unchecked) var counters: Counters
    // Safe like `counters`, from which it is apart because it runs statements.
    @exclusivity(unchecked) var texts = TextDeferral()
    /// See ``CollectionStore/number``.
    let collectionNumber: Int

    /// Whether a transaction has changed counts that are not stored yet.
    var isChanged: Bool { counters.documents.isChanged || counters.tombstones.isChanged }

    var counts: StoreCounts {
        StoreCounts(
            lastSequence: counters.documents.lastSequence,
            purgeCount: counters.documents.purgeCount,
            tombstonePurgeCount: counters.tombstones.purgeCount
        )
    }

    init(_ collection: CollectionStore, on connection: Connection) throws {
        collectionNumber = collection.number
        let documents = try SequenceCounter(collection.tables, on: connection)
        let tombstones = try SequenceCounter(tombstonesOf: collection.tables, on: connection)
        let any = try connection.prepare("SELECT 1 FROM \(collection.tables.tombstones ?? collection.tables.live) LIMIT 1")
        defer { any.finalize() }
        counters = Counters(documents: documents, tombstones: tombstones, hasNoTombstones: try !any.step())
    }

    /// Returns to earlier counters, after the changes in the file since then have been undone.
    func undo(to earlier: Counters) {
        texts.forgetIndexes()
        counters = earlier
    }

    func storeCounters(on context: ConnectionContext) throws {
        let statement = { try context.storeCounter.on(context.connection) }
        // A copy, because statements run while it is changed.
        var stored = counters
        try stored.documents.store(with: statement)
        try stored.tombstones.store(with: statement)
        counters = stored
    }
}
