import SQLiteEngine

/// The cached states of collections.
extension Writer {
    /// Returns the cached state of a collection, and reads it if necessary.
    @inline(__always)
    func state(of collection: CollectionStore) throws -> CollectionWriteState {
        let ordinal = collection.ordinal
        if ordinal < guarded.running.states.count, let state = guarded.running.states[ordinal] { return state }
        return try makeState(of: collection)
    }

    @inline(never)
    private func makeState(of collection: CollectionStore) throws -> CollectionWriteState {
        let state = try CollectionWriteState(collection, on: connection)
        while guarded.running.states.count <= collection.ordinal { guarded.running.states.append(nil) }
        guarded.running.states[collection.ordinal] = state
        return state
    }

    /// Discards the cached state of a collection that is about to be deleted.
    func forget(_ collection: CollectionStore) {
        if collection.ordinal < guarded.running.states.count { guarded.running.states[collection.ordinal] = nil }
        guarded.indexes.maintained = .unknown
        renewal.noteIndexChange()
        guarded.running.effects.noteDeletion(of: collection.id, store: collection.tables.store)
    }

    /// The change of a collection's number of live documents by the open transaction.
    func countChange(of collection: CollectionStore) -> Int64 {
        let states = guarded.running.states
        guard collection.ordinal < states.count, let state = states[collection.ordinal] else { return 0 }
        return state.counters.countChange
    }

    /// Adds the texts whose indexing was deferred to their full-text indexes. Returns at once if there are no such texts.
    ///
    /// Triggers change full-text indexes without this call. All other code calls it before it reads a full-text index, changes its entries,
    /// or creates or deletes a full-text index.
    ///
    /// - Throws: `SQLiteError` if a statement fails.
    package func indexDeferredTexts() throws {
        for case let state? in guarded.running.states { try state.texts.finish(context) }
    }
}
