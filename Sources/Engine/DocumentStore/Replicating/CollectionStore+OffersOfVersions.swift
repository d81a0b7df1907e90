import SQLiteEngine

/// Offers to databases with version vectors (Version vectors 6.4).
extension CollectionStore {
    /// The maximum number of revisions that are named as possible ancestors. Sync Gateway ignores an answer with more.
    private static let maximumNamed = 2

    /// Returns the answer to an offer.
    func answer(
        to offer: OfferedRevision,
        _ options: OfferOptions,
        _ view: RevisionView,
        hasTombstones: Bool,
        on context: ConnectionContext
    ) throws -> OfferAnswer {
        let remote = options.remote.map { RevisionTree.RemoteID($0) }
        let statements = context.statements(of: self).row
        var found = try statements.live.find(offer.documentID, on: context.connection) {
            answer(to: offer, $0, remote: remote, options, view)
        }
        if found == nil, hasTombstones {
            found = try statements.tombstones.find(offer.documentID, on: context.connection) {
                answer(to: offer, $0, remote: remote, options, view)
            }
        }
        return found ?? .want(ancestors: [])
    }

    /// Returns the answer for a document, from the columns ``CollectionTables/rowColumns``.
    private func answer(
        to offer: OfferedRevision,
        _ statement: Statement,
        remote: RevisionTree.RemoteID?,
        _ options: OfferOptions,
        _ view: RevisionView
    ) -> OfferAnswer {
        let flags = RecordFlags(rawValue: UInt16(truncatingIfNeeded: statement.int64(at: 2)))
        if RevisionID(binary: statement.blob(at: 3)) == offer.revision, remote == nil || remote == 1 && flags.contains(.synced) {
            return .have(isRemoteAncestorMoved: false, isConflictBranch: false)
        }
        do {
            let row = try StoredRow(statement, id: offer.documentID, isInTombstoneTable: false)
            guard row.hasTree, case .tree(let id) = offer.revision else { return try row.answer(to: offer, remote: remote, options, view) }
            let tree = try StoredTree(statement.blob(at: statement.isNull(at: 5) ? 4 : 5))
            let isSynced = remote == 1 && flags.contains(.synced)
            let answer = try self.answer(to: id, tree, remote: remote, isSynced: isSynced, options)
            guard case .want(let ancestors) = answer else { return answer }
            return .want(ancestors: Array(ancestors.prefix(Self.maximumNamed)))
        } catch {
            // A damaged document is requested, so that storing it reports the error of the document.
            return .want(ancestors: [])
        }
    }

    /// Returns the revisions to name to a peer that sends a later one: the current one, then the one known to be at the peer, then those known
    /// at other remotes.
    ///
    /// - Parameter needsBodies: Whether only revisions are named whose bodies are stored, because they can be bases of deltas.
    static func named(_ known: KnownRevisions, remote: RevisionTree.RemoteID?, needsBodies: Bool) -> [RevisionID] {
        let others = known.remotes.filter { $0.key != remote }.sorted { $0.key < $1.key }.map(\.value)
        var named: [RevisionID] = []
        for revision in [known.current, remote.flatMap { known.remotes[$0] }].compactMap({ $0 }) + others
        where (!needsBodies || revision.body != nil) && !named.contains(revision.lineage.id) {
            named.append(revision.lineage.id)
            if named.count == maximumNamed { break }
        }
        return named
    }
}

extension StoredRow {
    /// Returns the answer to an offer, unless both the document and the offered revision have a tree.
    ///
    /// - Throws: `corruptDocument` if the revisions cannot be decoded.
    fileprivate func answer(
        to offer: OfferedRevision,
        remote: RevisionTree.RemoteID?,
        _ options: OfferOptions,
        _ view: RevisionView
    ) throws(StoreError) -> OfferAnswer {
        let known = try knownRevisions()
        let stored = try ancestry(namedBy: view.source)
        switch stored.compare(offer) {
        case .newer where !stored.contains(offer.revision) && !known.follows(offer.revision, at: remote):
            return .want(ancestors: CollectionStore.named(known, remote: remote, needsBodies: options.needsBodies))
        case .same, .newer:
            // A tree cannot hold a version that is known at a remote.
            let isMoved = !hasTree && known.isMoved(by: offer.revision, at: remote)
            return .have(isRemoteAncestorMoved: isMoved, isConflictBranch: false)
        case .conflicting where known.revision(with: offer.revision)?.body != nil:
            return .have(isRemoteAncestorMoved: known.isMoved(by: offer.revision, at: remote), isConflictBranch: true)
        case .conflicting where options.refusesConflicts: return .conflict
        case .older, .conflicting:
            return .want(ancestors: CollectionStore.named(known, remote: remote, needsBodies: options.needsBodies))
        }
    }
}

extension KnownRevisions {
    /// Returns whether a revision of a tree that is not known, and is older than that of the document by its generation alone, is an earlier one of the
    /// remote. Otherwise the generations are those of different branches (Version vectors 6.4, "Rule of this library").
    fileprivate func follows(_ id: RevisionID, at remote: RevisionTree.RemoteID?) -> Bool {
        guard let remote else { return true }
        guard let last = remotes[remote]?.lineage.comparableVector?.current,
            let offered = Lineage(id).comparableVector?.current?.treeGeneration
        else { return false }
        return last.treeGeneration.map { $0 > offered } ?? true
    }

    /// Returns whether recording that a remote has a revision would change anything.
    fileprivate func isMoved(by id: RevisionID, at remote: RevisionTree.RemoteID?) -> Bool {
        guard let remote else { return false }
        var known = self
        return known.note(id, at: remote)
    }
}
