import Fleece
import SQLiteEngine

extension CollectionStore {
    /// Returns the IDs of the documents in conflict, in the order of their sequences. Fast with ``HousekeepingIndex/conflicts``.
    package func conflictedDocuments() throws -> [String] {
        try checkExists()
        return try file.read { context in
            let statement = try context.connection.cachedStatement(conflictedDocumentsSQL)
            defer { statement.reset() }
            var ids: [String] = []
            while try statement.step() { ids.append(statement.text(at: 0)) }
            return ids
        }
    }

    /// Sorts in an outer query. Otherwise SQLite would scan all documents in the order of the sequence index.
    var conflictedDocumentsSQL: String {
        let selects = tables.all.map { "SELECT key, sequence FROM \($0) WHERE \(HousekeepingIndex.isConflicted)" }
        return "SELECT key FROM (\(selects.joined(separator: " UNION ALL "))) ORDER BY +sequence"
    }

    /// Returns the conflict of a document, or `nil` if the document does not exist or is not in conflict.
    package func conflict(in documentID: String) throws -> StoredConflict? {
        try checkExists()
        return try file.read { context in
            guard let row = try self.row(of: documentID, on: context), row.flags.contains(.conflicted) else { return nil }
            try context.refreshSharedKeys()
            let tree: RevisionTree
            switch try row.revisions() {
            case .tree(let stored): tree = stored
            case .known(let known):
                return known.conflicting.map { remote in
                    StoredConflict(
                        documentID: documentID,
                        local: ConflictRevision(known.current),
                        remote: ConflictRevision(remote),
                        base: nil,
                        sharedKeys: context.sharedKeys
                    )
                }
            }
            guard tree.hasConflict, let remote = tree.conflictingLeaf else { return nil }
            let base = tree.commonAncestor(of: 0, and: remote).flatMap { ConflictRevision(tree.revisions[$0]) }
            guard let localRevision = ConflictRevision(tree.revisions[0]),
                let remoteRevision = ConflictRevision(tree.revisions[remote])
            else {
                throw StoreError.corruptDocument(documentID: documentID, reason: "a revision in conflict has no body")
            }
            return StoredConflict(
                documentID: documentID,
                local: localRevision,
                remote: remoteRevision,
                base: base,
                sharedKeys: context.sharedKeys
            )
        }
    }

    /// Resolves a conflict (Replication 4.7). Assigns a new sequence to the document.
    ///
    /// - Returns: `nil`, without any change, if the document was changed since the conflict was read.
    package func resolve(_ conflict: StoredConflict, with resolution: ConflictResolution, in writer: Writer) throws -> ResolvedConflict? {
        try checkExists()
        try writer.checkIsInTransaction()
        let state = try writer.state(of: self)
        guard let row = try self.row(of: conflict.documentID, state: state, on: writer.context),
            row.version == conflict.local.id
        else { return nil }
        var tree = try row.tree()
        guard case .tree(let remoteID) = conflict.remote.id, case .tree(let localID) = conflict.local.id,
            let remote = tree.index(of: remoteID), remote != 0, tree.revisions[remote].isLeaf
        else { return nil }
        let result = try self.result(of: resolution, conflict, on: remoteID, in: writer)
        tree.resolveConflict(winner: remoteID, loser: localID, closingWith: nil)
        guard let winner = tree.index(of: remoteID) else { return nil }
        if let result {
            var flags: RevisionFlags = result.isDeleted ? .deleted : []
            if result.hasBlobs { flags.insert(.hasAttachments) }
            _ = tree.append(result.id, parent: winner, flags: flags, body: result.body)
        }
        tree.sort()
        let sequence = try write(tree, over: row, state: state, in: writer)
        writer.recordChange(of: conflict.documentID, in: self)
        if !tree.hasConflict, !tree.revisions[0].isDeleted { writer.recordArrival(of: conflict.documentID, in: self) }
        return ResolvedConflict(
            revision: .tree(tree.revisions[0].id),
            sequence: sequence,
            isDeleted: tree.revisions[0].isDeleted,
            isNew: result != nil,
            isStillConflicted: tree.hasConflict
        )
    }

    private struct NewRevision {
        let id: TreeRevisionID
        let isDeleted: Bool
        let hasBlobs: Bool
        let body: [UInt8]
    }

    /// Returns the revision that a resolution adds as a child of the remote revision, or `nil` if the remote revision itself is the result.
    private func result(
        of resolution: ConflictResolution,
        _ conflict: StoredConflict,
        on remote: TreeRevisionID,
        in writer: Writer
    ) throws -> NewRevision? {
        let result: (body: OwnedBody, isDeleted: Bool)
        switch resolution {
        case .remote: return nil
        case .deleted: result = (.empty, true)
        case .merged(let body): result = (body, false)
        case .local:
            let local = conflict.local
            // The stored bytes are kept unchanged.
            return newRevision(local.body.bytes, local.isDeleted, hasBlobs: local.hasAttachments, on: remote)
        }
        let bytes = try writer.adopt(result.body)
        return try withExtendedLifetime(result) {
            try writer.reservedKeys.check(bytes, documentID: conflict.documentID, keys: writer.keys)
            writer.privateProperties.look(in: bytes, documentID: conflict.documentID, of: id, keys: writer.keys)
            writer.publishKeysToFunctions()
            return newRevision(bytes, result.isDeleted, hasBlobs: result.body.hasBlobs, on: remote)
        }
    }

    private func newRevision(_ bytes: UnsafeRawBufferPointer, _ isDeleted: Bool, hasBlobs: Bool, on parent: TreeRevisionID) -> NewRevision {
        NewRevision(
            id: TreeRevisionID.generate(parent: parent, isDeleted: isDeleted, body: bytes),
            isDeleted: isDeleted,
            hasBlobs: hasBlobs,
            body: [UInt8](bytes)
        )
    }
}

extension ConflictRevision {
    /// Returns `nil` if the body is not stored.
    fileprivate init?(_ revision: Revision) {
        guard let body = revision.body else { return nil }
        id = .tree(revision.id)
        isDeleted = revision.isDeleted
        self.body = FleeceData(body)
        hasAttachments = revision.flags.contains(.hasAttachments)
    }

    /// Only the ID of a revision known at a remote may be stored: it then counts as one without properties, as in the original.
    fileprivate init(_ revision: KnownRevision) {
        id = revision.lineage.id
        isDeleted = revision.flags.contains(.deleted)
        body = revision.body.map { FleeceData($0) } ?? .emptyDictionary
        hasAttachments = revision.flags.contains(.hasAttachments)
    }
}

extension RevisionTree {
    /// The leaf that the current revision is in conflict with: preferably one that is the latest revision on a remote.
    fileprivate var conflictingLeaf: Int? {
        let leaves = revisions.indices.dropFirst().filter { isActive($0) }
        let known = Set(remotes.values)
        return leaves.first { known.contains($0) } ?? leaves.first
    }

    /// Returns the newest revision that is an ancestor of both, or equal to one of them.
    fileprivate func commonAncestor(of first: Int, and second: Int) -> Int? {
        let ancestors = Set(branch(from: first))
        return branch(from: second).first { ancestors.contains($0) }
    }
}
