import SQLiteEngine

extension CollectionStore {
    /// Records that revisions of trees are ancestors of the current ones: they were sent to a remote, which may have stored them, and the documents
    /// have got version vectors since, without their trees (Version vectors 5.2). Documents that are damaged are left as they are.
    ///
    /// - Parameter revisions: The last revision of each document that was sent without a response. Each was the current one when it was sent.
    package func noteSent(_ revisions: [(documentID: String, revision: TreeRevisionID)], remote: Int, in writer: Writer) throws {
        try checkExists()
        try writer.checkIsInTransaction()
        guard let own = try file.versionSource() else { return }
        let state = try writer.state(of: self)
        for (id, revision) in revisions {
            do {
                guard let row = try self.row(of: id, state: state, on: writer.context), !row.hasTree else { continue }
                var known = try row.knownRevisions()
                guard known.noteSent(revision, at: RevisionTree.RemoteID(remote), own) else { continue }
                try writeMetadata(known, over: row, in: writer)
            } catch StoreError.corruptDocument {}
        }
    }
}

extension KnownRevisions {
    /// Adds a revision that was sent to a remote, without a response, to the ancestors of the current one. It becomes one of the names for clients
    /// with trees, because it is not known to be at the remote. The next change of the document drops it.
    ///
    /// It is an ancestor if the document has changed in its tree since, after the revision that the remote is known to have. If the document was
    /// purged and made again instead, and the remote is not known to have any revision, what the remote may have is only what was purged here.
    ///
    /// - Returns: `false` if nothing changed.
    fileprivate mutating func noteSent(_ id: TreeRevisionID, at remote: RevisionTree.RemoteID, _ own: SourceID) -> Bool {
        guard case .vector(_, let version) = current.lineage, let legacy, id.generation < legacy.generation else { return false }
        if let known = remotes[remote] {
            guard !known.flags.contains(.conflicted), let older = known.lineage.id.tree, older.generation < id.generation
            else { return false }
        }
        let ids = treeIDs(own)
        guard !ids.contains(where: { $0.generation == id.generation }), !legacyBranch.contains(id) else { return false }
        names = TreeNames(version: version, ids: (ids + [id]).sorted(by: >))
        return true
    }
}
