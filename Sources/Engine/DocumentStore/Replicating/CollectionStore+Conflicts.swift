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
                return try known.conflicting.map { try conflict(in: documentID, between: known.current, and: $0, context) }
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

    /// Returns the conflict of a document without a tree.
    func conflict(
        in documentID: String,
        between mine: KnownRevision,
        and theirs: KnownRevision,
        _ context: ConnectionContext
    ) throws -> StoredConflict {
        StoredConflict(
            documentID: documentID,
            local: ConflictRevision(mine),
            remote: ConflictRevision(theirs),
            base: nil,
            sharedKeys: context.sharedKeys,
            own: try InfoStore.bytes(InfoStore.publicUUID, on: context.connection).flatMap { SourceID($0) } ?? .me
        )
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
        // Where the tree goes on, it is kept, because 4.x stops at records with an ID in a tree and no tree (Version vectors 10).
        if writer.usesVersions, try !(row.hasTree && row.tree().goesOn(after: resolution, of: conflict.remote.id)) {
            return try resolveVersions(conflict, with: resolution, row, state: state, in: writer)
        }
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
        switch resolution {
        case .remote: return nil
        case .deleted: return try newRevision(.empty, isDeleted: true, conflict, on: remote, in: writer)
        case .merged(let body): return try newRevision(body, isDeleted: false, conflict, on: remote, in: writer)
        case .local:
            let local = conflict.local
            // The stored bytes are kept unchanged.
            return newRevision(local.body.bytes, local.isDeleted, hasBlobs: local.hasAttachments, on: remote)
        }
    }

    private func newRevision(
        _ body: OwnedBody,
        isDeleted: Bool,
        _ conflict: StoredConflict,
        on parent: TreeRevisionID,
        in writer: Writer
    ) throws -> NewRevision {
        try withAdopted(body, of: conflict.documentID, in: writer) { newRevision($0, isDeleted, hasBlobs: body.hasBlobs, on: parent) }
    }

    /// Calls `store` with the bytes of a merged body, with the key numbers of this file.
    ///
    /// - Throws: `reservedKey`.
    func withAdopted<Result>(
        _ body: OwnedBody,
        of documentID: String,
        in writer: Writer,
        _ store: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let bytes = try writer.adopt(body)
        return try withExtendedLifetime(body) {
            try writer.guarded.bodies.checkReservedKeys(of: bytes, documentID: documentID)
            writer.guarded.bodies.notePrivateProperties(of: bytes, documentID: documentID, in: id)
            writer.publishKeysToFunctions()
            return try store(bytes)
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
    /// Whether a database with version vectors resolves a conflict in the tree: the revision of a remote is the result, or the tree has more branches
    /// than a record without a tree can hold.
    fileprivate func goesOn(after resolution: ConflictResolution, of id: RevisionID) -> Bool {
        if localBranches.count > CollectionStore.maximumLocalBranches { return true }
        guard resolution.isRemote, let leaf = revisions.firstIndex(where: { .tree($0.id) == id }) else { return false }
        return remotes.values.contains(leaf)
    }

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
