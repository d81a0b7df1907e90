import Fleece
import SQLiteEngine

extension CollectionStore {
    /// The IDs of the documents in conflict, in the order of their sequences. Quick with ``HousekeepingIndex/conflicts``.
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

    /// Sorted apart: otherwise SQLite walks all documents along the index of sequences, to have them in order.
    var conflictedDocumentsSQL: String {
        let selects = [tables.live, tables.tombstones].compactMap { $0 }
            .map { "SELECT key, sequence FROM \($0) WHERE \(HousekeepingIndex.isConflicted)" }
        return "SELECT key FROM (\(selects.joined(separator: " UNION ALL "))) ORDER BY +sequence"
    }

    /// The conflict of a document; nil when there is no such document, or it is in none.
    package func conflict(in documentID: String) throws -> StoredConflict? {
        try checkExists()
        return try file.read { context in
            guard let row = try storedRow(of: documentID, on: context), row.flags.contains(.conflicted) else { return nil }
            try context.refreshSharedKeys()
            let tree = try row.tree()
            guard tree.hasConflict, let remote = tree.conflictingLeaf else { return nil }
            let base = tree.commonAncestor(of: 0, and: remote).flatMap { StoredRevision(tree.revisions[$0]) }
            guard let localRevision = StoredRevision(tree.revisions[0]),
                let remoteRevision = StoredRevision(tree.revisions[remote])
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

    /// Ends a conflict (Replication 4.7). Gives the document a new sequence.
    ///
    /// - Returns: Nil, and nothing is changed, when the document is not what it was when the conflict was read.
    package func resolve(_ conflict: StoredConflict, with resolution: ConflictResolution, in writer: Writer) throws -> ResolvedConflict? {
        try checkExists()
        try writer.checkIsInTransaction()
        let state = try writer.state(of: self)
        guard let row = try row(of: conflict.documentID, state: state, on: writer.context),
            row.version == conflict.local.id
        else { return nil }
        var tree = try row.tree()
        guard let remote = tree.index(of: conflict.remote.id), remote != 0, tree.revisions[remote].isLeaf else { return nil }
        let result = try result(of: resolution, conflict, in: writer)
        tree.resolveConflict(winner: conflict.remote.id, loser: conflict.local.id, closingWith: nil)
        guard let winner = tree.index(of: conflict.remote.id) else { return nil }
        if let result {
            var flags: RevisionFlags = result.isDeleted ? .deleted : []
            if result.hasBlobs { flags.insert(.hasAttachments) }
            _ = tree.append(result.id, parent: winner, flags: flags, body: result.body)
        }
        tree.sort()
        let sequence = try write(tree, over: row, state: state, in: writer)
        writer.recordChange(of: conflict.documentID, in: self)
        return ResolvedConflict(
            revision: tree.revisions[0].id,
            sequence: sequence,
            isDeleted: tree.revisions[0].isDeleted,
            isNew: result != nil,
            isStillConflicted: tree.hasConflict
        )
    }

    private struct NewRevision {
        let id: RevisionID
        let isDeleted: Bool
        let hasBlobs: Bool
        let body: [UInt8]
    }

    /// The revision that a resolution puts on top of the remote one; nil when that itself is the result.
    private func result(of resolution: ConflictResolution, _ conflict: StoredConflict, in writer: Writer) throws -> NewRevision? {
        let result: (body: OwnedBody, isDeleted: Bool)
        switch resolution {
        case .remote: return nil
        case .deleted: result = (.empty, true)
        case .merged(let body): result = (body, false)
        case .local:
            let local = conflict.local
            // What is stored here stays as it is, byte for byte.
            return newRevision(local.body.bytes, local.isDeleted, hasBlobs: local.hasAttachments, on: conflict.remote.id)
        }
        let bytes = try writer.adopt(result.body)
        return try withExtendedLifetime(result) {
            try writer.reservedKeys.check(bytes, documentID: conflict.documentID, keys: writer.keys)
            writer.privateProperties.look(in: bytes, documentID: conflict.documentID, of: id, keys: writer.keys)
            writer.publishKeysToFunctions()
            return newRevision(bytes, result.isDeleted, hasBlobs: result.body.hasBlobs, on: conflict.remote.id)
        }
    }

    private func newRevision(_ bytes: UnsafeRawBufferPointer, _ isDeleted: Bool, hasBlobs: Bool, on parent: RevisionID) -> NewRevision {
        NewRevision(
            id: RevisionID.generate(parent: parent, isDeleted: isDeleted, body: bytes),
            isDeleted: isDeleted,
            hasBlobs: hasBlobs,
            body: [UInt8](bytes)
        )
    }
}

extension StoredRevision {
    /// Nil when the body is not kept.
    fileprivate init?(_ revision: Revision) {
        guard let body = revision.body else { return nil }
        id = revision.id
        isDeleted = revision.isDeleted
        self.body = FleeceData(body)
        hasAttachments = revision.flags.contains(.hasAttachments)
    }
}

extension RevisionTree {
    /// The leaf that the current revision is in conflict with: the latest on a remote, if such a one is among the others.
    fileprivate var conflictingLeaf: Int? {
        let leaves = revisions.indices.dropFirst().filter { isActive($0) }
        let known = Set(remotes.values)
        return leaves.first { known.contains($0) } ?? leaves.first
    }

    /// The newest revision that both descend from, or are.
    fileprivate func commonAncestor(of first: Int, and second: Int) -> Int? {
        let ancestors = Set(branch(from: first))
        return branch(from: second).first { ancestors.contains($0) }
    }
}
