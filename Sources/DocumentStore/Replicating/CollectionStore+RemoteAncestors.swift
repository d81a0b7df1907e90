import SQLiteEngine

extension CollectionStore {
    /// Records that revisions are the current ones at a remote (Replication 4.4). Neither the documents nor their sequences change.
    ///
    /// If a revision is the current one here too, and the remote is the first, this is a flag of the row: one `UPDATE` per document.
    /// Otherwise the tree is written again. Nothing is recorded if the revision does not exist here, or is older than the known revision of
    /// the remote.
    package func noteRemoteAncestors(_ revisions: [(documentID: String, revision: RevisionID)], remote: Int, in writer: Writer) throws {
        try checkExists()
        try writer.checkIsInTransaction()
        let remote = RevisionTree.RemoteID(remote)
        let state = try writer.state(of: self)
        for (id, revision) in revisions {
            if remote == 1, try markSynced(id, revision, state: state, in: writer) { continue }
            guard let row = try row(of: id, state: state, on: writer.context) else { continue }
            var tree = try row.tree()
            guard let index = tree.index(of: revision), tree.noteRemoteAncestor(index, of: remote) else { continue }
            try writeMetadata(tree, over: row, in: writer)
        }
    }

    private func markSynced(_ documentID: String, _ revision: RevisionID, state: CollectionWriteState, in writer: Writer) throws -> Bool {
        let statements = writer.context.statements(of: self).markSynced
        for (prepared, isTombstones) in [(statements.live, false), (statements.tombstones, true)] {
            if isTombstones, state.hasNoTombstones || tables.tombstoneName == nil { break }
            let statement = try prepared.on(writer.connection)
            try statement.bindText(documentID, at: 1)
            try revision.withBinary { try statement.bindBlob($0, at: 2) }
            try statement.run()
            if writer.connection.changes > 0 { return true }
        }
        return false
    }
}
