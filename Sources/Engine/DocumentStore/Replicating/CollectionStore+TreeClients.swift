import SQLiteEngine

/// Serving clients with revision trees from a database with version vectors (Version vectors 7.6).
///
/// The revisions that were current here, one after the other, are a tree without branches: each one includes the earlier ones, because
/// conflicts are resolved before they become current.
extension CollectionStore {
    /// Returns the answer to a revision of a tree that a client offers.
    func answer(
        to offer: OfferedRevision,
        _ head: DocumentHead,
        of own: SourceID,
        _ options: OfferOptions
    ) throws(LineageError) -> OfferAnswer {
        let ids = try head.treeIDs(own)
        guard case .tree(let id) = offer.revision, let current = ids.first else {
            return options.refusesConflicts ? .conflict : .want(ancestors: [])
        }
        if ids.contains(id) { return .have(isRemoteAncestorMoved: false, isConflictBranch: false) }
        if options.refusesConflicts, current.generation >= id.generation { return .conflict }
        // Only the body of the current revision is stored.
        let ancestors = (options.needsBodies ? [current] : ids).filter { $0.generation < id.generation }
        return .want(ancestors: ancestors.prefix(Self.maximumAncestors).map { .tree($0) })
    }

    /// Returns the answer to a revision of a tree that a client proposes.
    static func answer(to proposal: ProposedRevision, _ head: DocumentHead, of own: SourceID) -> ProposalAnswer {
        guard let current = (try? head.treeIDs(own))?.first.map({ RevisionID.tree($0) }) else { return .unreadable }
        if current == proposal.revision { return .have }
        let mayFollow = proposal.serverRevision.map { $0 == current } ?? head.flags.contains(.deleted)
        return mayFollow ? .send : .conflict(current: current)
    }

    /// Returns the IDs by which clients with trees know the current revision of a document and its ancestors, newest first; `nil` if the document
    /// does not exist.
    ///
    /// - Throws: `corruptDocument` if the revisions cannot be decoded.
    package func treeIDs(of documentID: String, _ own: SourceID) throws -> [RevisionID]? {
        try checkExists()
        return try file.readDocuments { context in
            try withHead(of: documentID, tables.tombstoneName != nil, on: context) { head in
                do throws(LineageError) {
                    return try head.treeIDs(own).map { .tree($0) }
                } catch {
                    throw StoreError.corruptDocument(documentID: documentID, reason: error.description)
                }
            }
        }
    }

    /// Stores a revision of a client with a tree as a version of this database. Its ID and those of its ancestors become the names of the versions.
    func insertFromTreeClient(_ received: ReceivedRevision, in writer: Writer) throws -> ReceivedRevisionOutcome {
        guard let branch = received.branch, let naming = writer.treeNaming else { return .invalidHistory }
        let state = try writer.state(of: self)
        guard let row = try self.row(of: received.documentID, state: state, on: writer.context) else {
            if received.isOvertaken { return .ignoredAsLate }
            let lineage = try writer.nextLineage(after: .empty, of: received.documentID)
            var known = KnownRevisions(current: try knownRevision(received, lineage, in: writer), sequence: 0)
            known.name(after: [], naming, as: branch)
            guard let outcome = try insertFirst(known, of: received.documentID, state: state, in: writer) else {
                throw StoreError.conflict(documentID: received.documentID)
            }
            return outcome
        }
        var known: KnownRevisions
        switch try row.revisions() {
        case .tree(let tree):
            if tree.index(of: branch[0]) != nil { return .known }
            known = try row.knownRevisions(in: tree)
        case .known(let stored): known = stored
        }
        let ids = known.treeIDs(naming.own)
        if ids.contains(branch[0]) { return .known }
        guard let names = Self.names(branch, after: ids, isDeleted: row.flags.contains(.deleted)) else { return .refusedAsConflict }
        let lineage = try writer.nextLineage(after: known.current.lineage.vector, of: received.documentID)
        known.replaceCurrent(with: try knownRevision(received, lineage, in: writer), naming, named: names)
        let sequence = try write(known, over: row, state: state, in: writer)
        writer.recordChange(of: received.documentID, in: self)
        return .inserted(sequence: sequence, isConflict: false)
    }

    /// Returns the IDs of a received revision and its ancestors; `nil` if it is in conflict with the current one.
    private static func names(_ branch: [TreeRevisionID], after ids: [TreeRevisionID], isDeleted: Bool) -> [TreeRevisionID]? {
        if let current = ids.first, let index = branch.firstIndex(of: current) { return branch[..<index] + ids }
        // The document was deleted here, and was created again elsewhere without knowledge of the deletion.
        return isDeleted && Set(branch).isDisjoint(with: ids) ? branch : nil
    }
}
