import SQLiteEngine

extension CollectionStore {
    /// How many ancestors are named to a peer (Replication 4.13).
    private static let maximumAncestors = 10

    /// What the trees say of revisions that a peer offers, in one view of the database. Nothing is changed:
    /// see ``noteRemoteAncestors(_:remote:in:)`` for the answers that say that the remote ancestor has moved.
    ///
    /// A document that is new costs one look-up in each table, one whose current revision is offered not much more.
    ///
    /// - Parameters:
    ///   - remote: The number of the peer as a remote; nil when it is none.
    ///   - needsBodies: Whether only ancestors are named whose bodies are still here.
    ///   - refusesConflicts: Whether a revision is refused that cannot be a descendant of the current one.
    package func compare(
        _ offers: [OfferedRevision],
        remote: Int?,
        needsBodies: Bool,
        refusesConflicts: Bool = false
    ) throws -> [OfferAnswer] {
        try checkExists()
        let remote = remote.map { RevisionTree.RemoteID($0) }
        return try file.read { context in
            try context.withOneView {
                let hasTombstones = try hasTombstones(on: context)
                return try offers.map { offer in
                    try withHead(of: offer.documentID, hasTombstones, on: context) { head in
                        // What is damaged is asked for: the document's error then says so.
                        let answer = try? answer(
                            to: offer.revision,
                            head,
                            remote: remote,
                            needsBodies: needsBodies,
                            refusesConflicts: refusesConflicts
                        )
                        return answer ?? .want(ancestors: [])
                    } ?? .want(ancestors: [])
                }
            }
        }
    }

    /// What is answered to revisions that a peer proposes, in one view of the database.
    package func judge(_ proposals: [ProposedRevision]) throws -> [ProposalAnswer] {
        try checkExists()
        return try file.read { context in
            try context.withOneView {
                let hasTombstones = try hasTombstones(on: context)
                return try proposals.map { proposal in
                    try withHead(of: proposal.documentID, hasTombstones, on: context) {
                        Self.answer(to: proposal, $0)
                    } ?? .send
                }
            }
        }
    }

    private static func answer(to proposal: ProposedRevision, _ head: DocumentHead) -> ProposalAnswer {
        guard let current = head.version else { return .unreadable }
        if current == proposal.revision { return .have }
        let mayFollow = proposal.serverRevision.map { $0 == current } ?? head.flags.contains(.deleted)
        return mayFollow ? .send : .conflict(current: current)
    }

    private func answer(
        to revision: RevisionID,
        _ head: DocumentHead,
        remote: RevisionTree.RemoteID?,
        needsBodies: Bool,
        refusesConflicts: Bool
    ) throws(RevisionTreeError) -> OfferAnswer {
        let isSynced = remote == 1 && head.flags.contains(.synced)
        if head.version == revision, remote == nil || isSynced {
            return .have(isRemoteAncestorMoved: false, isConflictBranch: false)
        }
        let tree = try StoredTree(head.tree)
        let known = isSynced ? 0 : remote.flatMap { tree.remoteAncestor($0) }
        if let index = tree.index(of: revision) {
            let isConflictBranch = try !tree.branch(from: 0).contains(index)
            // What is older than what the peer is known to have is no news: see `noteRemoteAncestor`.
            let isNoted = if let known { try tree.branch(from: known).contains(index) } else { remote == nil }
            return .have(isRemoteAncestorMoved: !isNoted, isConflictBranch: isConflictBranch)
        }
        if refusesConflicts, try tree.id(at: 0).generation >= revision.generation { return .conflict }
        var ancestors: [RevisionID] = []
        for index in 0..<tree.count where index != known && (!needsBodies || tree.hasBody(at: index)) {
            let id = try tree.id(at: index)
            if id.generation < revision.generation { ancestors.append(id) }
        }
        ancestors.sort(by: >)
        if let known, !needsBodies || tree.hasBody(at: known) {
            let id = try tree.id(at: known)
            if id.generation < revision.generation { ancestors.insert(id, at: 0) }
        }
        return .want(ancestors: Array(ancestors.prefix(Self.maximumAncestors)))
    }

    /// Whether it is worth while to look for documents among the tombstones.
    private func hasTombstones(on context: ConnectionContext) throws -> Bool {
        guard tables.tombstoneName != nil, let tombstones = tables.tombstones else { return false }
        return try context.connection.scalar("SELECT 1 FROM \(tombstones) LIMIT 1") != nil
    }

    /// Calls `body` with what is known of a document besides its body; returns nil, without a call, when there is no such document.
    private func withHead<Result>(
        of documentID: String,
        _ hasTombstones: Bool,
        on context: ConnectionContext,
        _ body: (DocumentHead) throws -> Result
    ) throws -> Result? {
        let statements = context.statements(of: self)
        for (prepared, isTombstones) in [(statements.headOfLive, false), (statements.headOfTombstone, true)] {
            if isTombstones, !hasTombstones { break }
            let statement = try prepared.on(context.connection)
            defer { statement.reset() }
            try statement.bindText(documentID, at: 1)
            if try statement.step() { return try body(DocumentHead(statement)) }
        }
        return nil
    }
}

/// What a row says of a document besides its body, as long as the statement stands at it.
private struct DocumentHead {
    let flags: DocumentFlags
    /// Nil when it is damaged.
    let version: RevisionID?
    let tree: UnsafeRawBufferPointer

    init(_ statement: Statement) {
        flags = DocumentFlags(rawValue: UInt16(truncatingIfNeeded: statement.int64(at: 0)))
        version = RevisionID(binary: statement.blob(at: 1))
        tree = statement.blob(at: statement.isNull(at: 2) ? 3 : 2)
    }
}
