import SQLiteEngine

extension CollectionStore {
    /// The maximum number of ancestors sent to a peer (Replication 4.13).
    static let maximumAncestors = 10

    /// Compares revisions offered by a peer with the stored trees, in one read snapshot of the database. Changes nothing: see
    /// ``noteRemoteAncestors(_:remote:in:)`` for answers with a moved remote ancestor.
    ///
    /// A new document costs one lookup in each table. An offer of the current revision costs a little more.
    ///
    /// - Parameter view: How the revisions of the database are shown to the peer.
    package func compare(_ offers: [OfferedRevision], _ options: OfferOptions, as view: RevisionView = .stored) throws -> [OfferAnswer] {
        try checkExists()
        let remote = options.remote.map { RevisionTree.RemoteID($0) }
        return try file.readDocuments { context in
            let hasTombstones = try self.hasTombstones(on: context)
            // A damaged document is requested, so that storing it reports the error of the document.
            if case .trees(let own) = view {
                return try offers.map { offer in
                    try withHead(of: offer.documentID, hasTombstones, on: context) { head in
                        (try? answer(to: offer, head, of: own, options)) ?? .want(ancestors: [])
                    } ?? .want(ancestors: [])
                }
            }
            if try file.hasVersionVectors(on: context) {
                return try offers.map { try answer(to: $0, options, view, hasTombstones: hasTombstones, on: context) }
            }
            return try offers.map { offer in
                try withHead(of: offer.documentID, hasTombstones, on: context) { head in
                    (try? answer(to: offer.revision, head, remote: remote, options)) ?? .want(ancestors: [])
                } ?? .want(ancestors: [])
            }
        }
    }

    /// Returns the answers to revisions proposed by a peer, in one read snapshot of the database.
    ///
    /// - Parameters:
    ///   - view: How the revisions of the database are shown to the peer.
    ///   - comparesVectors: Whether vectors are compared, as in Sync Gateway, so that a later revision may come without the current one being named
    ///     (Version vectors 7.1). Otherwise only the names count, as in the original.
    package func evaluate(
        _ proposals: [ProposedRevision],
        as view: RevisionView = .stored,
        comparingVectors comparesVectors: Bool = false
    ) throws -> [ProposalAnswer] {
        try checkExists()
        return try file.readDocuments { context in
            let hasTombstones = try self.hasTombstones(on: context)
            return try proposals.map { proposal in
                try withHead(of: proposal.documentID, hasTombstones, on: context) { head in
                    switch view {
                    case .trees(let own): Self.answer(to: proposal, head, of: own)
                    case .stored, .withTreeNames: Self.answer(to: proposal, head, view, comparesVectors)
                    }
                } ?? .send
            }
        }
    }

    private static func answer(
        to proposal: ProposedRevision,
        _ head: DocumentHead,
        _ view: RevisionView,
        _ comparesVectors: Bool
    ) -> ProposalAnswer {
        guard let current = head.version else { return .unreadable }
        let named = [proposal.revision, proposal.serverRevision].contains { id in
            id.map { $0.tree != nil || $0.version?.isTreeRevision == true } ?? false
        }
        // Needed only for a client that had a tree.
        let name = named ? view.source.flatMap { (try? head.treeIDs($0))?.first }.map { RevisionID.tree($0) } : nil
        func isCurrent(_ id: RevisionID) -> Bool { id.isSame(as: current) || name.map(id.isSame) ?? false }
        if isCurrent(proposal.revision) { return .have }
        let mayFollow = proposal.serverRevision.map(isCurrent) ?? head.flags.contains(.deleted)
        if mayFollow { return .send }
        guard case .version(let version) = current else { return .conflict(current: current) }
        if comparesVectors, let proposed = proposal.vector.current, let stored = try? VersionVector(binary: head.versions) {
            if stored.compare(proposed) != .older { return .have }
            return proposal.vector.compare(version) == .older ? .conflict(current: current) : .send
        }
        // A stored vector that cannot be read is damage; the answer says so.
        return (try? VersionVector(binary: head.versions)).map { .conflictWithVector($0) } ?? .unreadable
    }

    private func answer(
        to revision: RevisionID,
        _ head: DocumentHead,
        remote: RevisionTree.RemoteID?,
        _ options: OfferOptions
    ) throws(RevisionTreeError) -> OfferAnswer {
        let isSynced = remote == 1 && head.flags.contains(.synced)
        if head.version == revision, remote == nil || isSynced {
            return .have(isRemoteAncestorMoved: false, isConflictBranch: false)
        }
        guard case .tree(let id) = revision else { return options.refusesConflicts ? .conflict : .want(ancestors: []) }
        return try answer(to: id, try StoredTree(head.tree), remote: remote, isSynced: isSynced, options)
    }

    /// Returns the answer to a revision of a tree that is offered for a document with a tree.
    func answer(
        to revision: TreeRevisionID,
        _ tree: StoredTree,
        remote: RevisionTree.RemoteID?,
        isSynced: Bool,
        _ options: OfferOptions
    ) throws(RevisionTreeError) -> OfferAnswer {
        let known = isSynced ? 0 : remote.flatMap { tree.remoteAncestor($0) }
        if let index = tree.index(of: revision) {
            let isConflictBranch = try !tree.branch(from: 0).contains(index)
            // A revision older than the known remote ancestor does not move it: see `noteRemoteAncestor`.
            let isNoted = if let known { try tree.branch(from: known).contains(index) } else { remote == nil }
            return .have(isRemoteAncestorMoved: !isNoted, isConflictBranch: isConflictBranch)
        }
        if options.refusesConflicts, try tree.id(at: 0).generation >= revision.generation { return .conflict }
        var ancestors: [TreeRevisionID] = []
        for index in 0..<tree.count where index != known && (!options.needsBodies || tree.hasBody(at: index)) {
            let id = try tree.id(at: index)
            if id.generation < revision.generation { ancestors.append(id) }
        }
        ancestors.sort(by: >)
        if let known, !options.needsBodies || tree.hasBody(at: known) {
            let id = try tree.id(at: known)
            if id.generation < revision.generation { ancestors.insert(id, at: 0) }
        }
        return .want(ancestors: ancestors.prefix(Self.maximumAncestors).map { .tree($0) })
    }

    /// Returns whether there are tombstones, so that documents must be looked up among them.
    func hasTombstones(on context: ConnectionContext) throws -> Bool {
        guard tables.tombstoneName != nil, let tombstones = tables.tombstones else { return false }
        return try context.connection.scalar("SELECT 1 FROM \(tombstones) LIMIT 1") != nil
    }

    /// Calls `body` with the metadata of a document. Returns `nil` without calling it if the document does not exist.
    func withHead<Result>(
        of documentID: String,
        _ hasTombstones: Bool,
        on context: ConnectionContext,
        _ body: (DocumentHead) throws -> Result
    ) throws -> Result? {
        let statements = context.statements(of: self).head
        if let found = try statements.live.find(documentID, on: context.connection, { try body(DocumentHead($0)) }) { return found }
        guard hasTombstones else { return nil }
        return try statements.tombstones.find(documentID, on: context.connection) { try body(DocumentHead($0)) }
    }
}

/// The metadata of a document in a row. Valid until the statement is stepped or reset.
struct DocumentHead {
    let flags: RecordFlags
    /// `nil` if the revision ID is damaged.
    let version: RevisionID?
    /// The column with the ID or the vector.
    let versions: UnsafeRawBufferPointer
    let tree: UnsafeRawBufferPointer

    /// Returns the IDs by which clients with trees know the current revision and its ancestors, newest first.
    func treeIDs(_ own: SourceID) throws(LineageError) -> [TreeRevisionID] { try TreeNames.ids(version: versions, extra: tree, own: own) }

    init(_ statement: Statement) {
        flags = RecordFlags(rawValue: UInt16(truncatingIfNeeded: statement.int64(at: 0)))
        versions = statement.blob(at: 1)
        version = RevisionID(binary: versions)
        tree = statement.blob(at: statement.isNull(at: 2) ? 3 : 2)
    }
}

extension CollectionStore {
    /// Records that revisions are the current ones at a remote (Replication 4.4). Neither the documents nor their sequences change.
    ///
    /// If a revision is the current one here too, and the remote is the first, this is a flag of the row: one `UPDATE` per document.
    /// Otherwise the tree is written again. Nothing is recorded if the revision does not exist here, or is older than the known revision of
    /// the remote.
    ///
    /// - Returns: The errors of damaged documents, in which nothing is recorded, with the positions of their revisions.
    @discardableResult
    package func noteRemoteAncestors(
        _ revisions: [(documentID: String, revision: RevisionID)],
        remote: Int,
        in writer: Writer
    ) throws -> [(index: Int, error: StoreError)] {
        try checkExists()
        try writer.checkIsInTransaction()
        let remote = RevisionTree.RemoteID(remote)
        let state = try writer.state(of: self)
        var damaged: [(index: Int, error: StoreError)] = []
        for (index, (id, revision)) in revisions.enumerated() {
            do {
                try noteRemoteAncestor(revision, of: id, remote, state: state, in: writer)
            } catch let error as StoreError {
                guard case .corruptDocument = error else { throw error }
                damaged.append((index, error))
            }
        }
        return damaged
    }

    /// - Throws: `corruptDocument` if the document is damaged. Nothing is written then.
    private func noteRemoteAncestor(
        _ revision: RevisionID,
        of documentID: String,
        _ remote: RevisionTree.RemoteID,
        state: CollectionWriteState,
        in writer: Writer
    ) throws {
        if writer.usesVersions { return try noteInVersions(revision, of: documentID, remote, state: state, in: writer) }
        if remote == 1, try markSynced(documentID, revision.binary, state: state, in: writer) { return }
        guard case .tree(let id) = revision, let row = try self.row(of: documentID, state: state, on: writer.context) else { return }
        try note(id, inTreeOf: row, remote, in: writer)
    }

    /// Records in the tree of a document that a remote has a revision. Nothing is written if the tree does not have the revision, or if the remote is
    /// known to have it or a later one.
    ///
    /// - Throws: `corruptDocument` if the tree is damaged.
    func note(_ id: TreeRevisionID, inTreeOf row: StoredRow, _ remote: RevisionTree.RemoteID, in writer: Writer) throws {
        var tree = try row.tree()
        guard let index = tree.index(of: id), tree.noteRemoteAncestor(index, of: remote) else { return }
        try writeMetadata(tree, over: row, in: writer)
    }

    /// Does the same in a database with version vectors (Version vectors 3.6). Trees are kept: a record with an ID in a tree and no tree stops 4.x
    /// (Version vectors 10).
    private func noteInVersions(
        _ revision: RevisionID,
        of documentID: String,
        _ remote: RevisionTree.RemoteID,
        state: CollectionWriteState,
        in writer: Writer
    ) throws {
        // The vector of most revisions is their version alone.
        let vector = revision.version.map { VersionVector($0).binary } ?? revision.binary
        if remote == 1, try markSynced(documentID, vector, state: state, in: writer) { return }
        guard let row = try self.row(of: documentID, state: state, on: writer.context) else { return }
        let isMarked = !row.flags.isDisjoint(with: [.synced, .conflicted])
        if remote == 1, row.version == revision, !isMarked {
            _ = try markSynced(documentID, row.lineage.binary, state: state, in: writer)
        } else if row.hasTree {
            guard case .tree(let id) = revision else { return }
            try note(id, inTreeOf: row, remote, in: writer)
        } else {
            var known = try row.knownRevisions()
            if known.note(revision, at: remote) { try writeMetadata(known, over: row, in: writer) }
        }
    }

    private func markSynced(_ documentID: String, _ revision: [UInt8], state: CollectionWriteState, in writer: Writer) throws -> Bool {
        let statements = writer.context.statements(of: self).markSynced
        for (prepared, isTombstones) in [(statements.live, false), (statements.tombstones, true)] {
            if isTombstones, state.counters.hasNoTombstones || tables.tombstoneName == nil { break }
            let statement = try prepared.on(writer.connection)
            try writer.changing(self) {
                defer { statement.reset() }
                try statement.bindText(documentID, at: 1)
                try statement.bindBlob(revision, at: 2)
                try statement.run()
            }
            if writer.connection.changes > 0 { return true }
        }
        return false
    }
}
