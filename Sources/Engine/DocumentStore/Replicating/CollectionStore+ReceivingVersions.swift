import Fleece

/// Storing revisions that were created elsewhere in databases with version vectors (Version vectors 5.2).
extension CollectionStore {
    /// Stores a revision with its history, of versions or of IDs in trees. Versions of this database must be given as "me".
    ///
    /// A revision of a tree is stored in a tree, as long as the document has one.
    func insertIntoVersions(_ received: ReceivedRevision, remote: Int?, in writer: Writer) throws -> ReceivedRevisionOutcome {
        guard let name = received.name else { return .invalidHistory }
        let state = try writer.state(of: self)
        // The insertion itself detects an existing document. Own versions, and revisions of trees, are only checked with the stored ones.
        let isLikelyNew = !received.isOvertaken && !name.lineage.isTree && name.lineage.vector[.me] == nil
        var row = try isLikelyNew ? nil : self.row(of: received.documentID, state: state, on: writer.context)
        if name.lineage.isTree, remote == nil, writer.treeNaming != nil { return try insertFromTreeClient(received, in: writer) }
        if name.lineage.isTree, row?.hasTree ?? true {
            guard let branch = received.branch else { return .invalidHistory }
            return try insert(received, branch, remote: remote, in: writer)
        }
        do throws(VersionError) {
            try checkTimes(of: name.lineage.vector, over: row?.lineage.vector ?? .empty, in: writer)
        } catch {
            return .invalidTime(error)
        }
        let revision = try knownRevision(received, name, in: writer)
        let remote = remote.map { RevisionTree.RemoteID($0) }
        if row == nil, !received.isOvertaken {
            var known = KnownRevisions(current: revision, sequence: 0)
            // As in the original, only a document that had a tree here keeps an ID in it.
            if remote == nil { known.legacy = name.legacy.first }
            if let remote { known.remotes[remote] = revision }
            if let outcome = try insertFirst(known, of: received.documentID, state: state, in: writer) { return outcome }
        }
        if isLikelyNew { row = try self.row(of: received.documentID, state: state, on: writer.context) }
        if let row { return try merge(revision, name, received, remote: remote, over: row, state: state, in: writer) }
        if received.isOvertaken { return .ignoredAsLate }
        throw StoreError.conflict(documentID: received.documentID)
    }

    /// Stores a revision that ``insert(_:remote:in:)`` has refused as one in conflict, and resolves the conflict at once. The revision does not
    /// become the one of a remote.
    ///
    /// - Parameter choose: Returns the resolution of the conflict.
    package func insert(
        _ received: ReceivedRevision,
        in writer: Writer,
        resolving choose: (StoredConflict) throws -> ConflictResolution
    ) throws {
        let state = try writer.state(of: self)
        guard writer.usesVersions, let name = received.name,
            let row = try self.row(of: received.documentID, state: state, on: writer.context)
        else { throw StoreError.conflict(documentID: received.documentID) }
        var known = try row.knownRevisions()
        let theirs = try knownRevision(received, name, in: writer)
        let conflict = try self.conflict(in: received.documentID, between: known.current, and: theirs, writer.context)
        let resolution = try choose(conflict)
        let resolved = try result(of: resolution, known.current, theirs, received.documentID, in: writer)
        known.resolveConflict(with: theirs, as: resolved, keepsTheirs: resolution.isRemote, writer.treeNaming)
        _ = try write(known, over: row, state: state, in: writer)
        writer.recordChange(of: received.documentID, in: self)
    }

    /// Checks the times of a received vector, and notes those of other databases.
    ///
    /// A version of this database that is in the future is accepted only if it is stored already. Otherwise a peer could make it impossible
    /// to change the document, because no later version exists.
    ///
    /// - Throws: `invalidTime`.
    private func checkTimes(of vector: VersionVector, over stored: VersionVector, in writer: Writer) throws(VersionError) {
        let wall = file.options.clock.nanoseconds
        for version in vector.versions where version.source.isMe {
            let isKnown = stored.versions.contains { $0.source.isMe && $0.time >= version.time }
            guard isKnown || LogicalTime.isStorable(version.time) && HybridClock.isAcceptable(version.time, wall) else {
                throw .invalidTime(version)
            }
        }
        try writer.guarded.names.clock.see(vector, wall)
    }

    /// Returns a received revision with the key numbers of this file.
    ///
    /// - Throws: `reservedKey`.
    private func knownRevision(_ received: ReceivedRevision, _ name: RevisionName, in writer: Writer) throws -> KnownRevision {
        try knownRevision(received, name.lineage, in: writer)
    }

    /// Returns a received revision with another name, and with the key numbers of this file.
    ///
    /// - Throws: `reservedKey`.
    func knownRevision(_ received: ReceivedRevision, _ lineage: Lineage, in writer: Writer) throws -> KnownRevision {
        let bytes = try writer.adopt(received.body)
        return try withExtendedLifetime(received) {
            try writer.guarded.bodies.checkReservedKeys(of: bytes, documentID: received.documentID)
            writer.publishKeysToFunctions()
            var flags: KnownRevision.Flags = received.isDeleted ? .deleted : []
            if received.body.hasBlobs { flags.insert(.hasAttachments) }
            return KnownRevision(lineage: lineage, flags: flags, body: [UInt8](bytes))
        }
    }

    /// Inserts the first revision of a document. Returns `nil` if the document exists.
    func insertFirst(
        _ known: KnownRevisions,
        of documentID: String,
        state: CollectionWriteState,
        in writer: Writer
    ) throws -> ReceivedRevisionOutcome? {
        // A tombstone could be inserted although a live document exists.
        if known.current.flags.contains(.deleted), try isLive(documentID, on: writer.context) { return nil }
        let columns = try known.columns(of: documentID)
        let sequence = try columns.version.withUnsafeBytes { version in
            try columns.body.withBytesOrNull { body in
                try columns.extra.withBytesOrNull { extra in
                    try insertRow(documentID, flags: known.recordFlags, (version, body, extra), state: state, in: writer)
                }
            }
        }
        guard let sequence else { return nil }
        writer.recordChange(of: documentID, in: self)
        return .inserted(sequence: sequence, isConflict: false)
    }

    /// Adds a revision to an existing document.
    private func merge(
        _ revision: KnownRevision,
        _ name: RevisionName,
        _ received: ReceivedRevision,
        remote: RevisionTree.RemoteID?,
        over row: StoredRow,
        state: CollectionWriteState,
        in writer: Writer
    ) throws -> ReceivedRevisionOutcome {
        var known = try row.knownRevisions()
        let treeName = name.lineage.isTree ? nil : received.treeName
        let ancestry = RevisionAncestry(vector: name.lineage.vector, legacy: name.legacy, name: treeName)
        let isSameMerge =
            name.lineage.vector.isSameMerge(as: known.current.lineage.vector) && revision.body == known.current.body
            && revision.flags.contains(.deleted) == known.current.flags.contains(.deleted)
        let stored = try row.ancestry(namedBy: writer.treeNaming?.own)
        var order = isSameMerge ? .same : ancestry.compare(stored)
        if order == .conflicting,
            known.isReplacedDeletion(at: remote, allowsConflict: received.allowsConflict) && ancestry.isIndependent(of: stored)
                || !row.flags.contains(.conflicted) && known.isLeftBehind(in: stored, at: remote, by: ancestry)
        {
            order = .newer
        }
        var lineage = revision.lineage
        if order == .conflicting, remote == nil, !received.allowsConflict, ancestry.isCrossed(with: stored) {
            // A version of this database is later than both, so that no other database finds the same conflict.
            let merged = try StoreError.checking(received.documentID) { () throws(VersionError) in
                try lineage.vector.trivialMerge(over: stored.vector)
            }
            lineage = try writer.nextLineage(after: merged, of: received.documentID)
            order = .newer
        }
        // The revision was made from these, or the conflict with them was resolved elsewhere.
        known.branches.removeAll { ancestry.contains($0.lineage.id) }
        switch order {
        case .newer where received.isOvertaken: return .ignoredAsLate
        case .newer:
            var revision = revision
            revision.lineage = try lineage.including(stored, of: received.documentID)
            // The same revision as before keeps its name for the clients of this database.
            let isNamed = stored.id.map { ancestry.isNamed($0) } ?? false
            let names = isNamed ? writer.treeNaming.map { known.treeIDs($0.own) } : nil
            known.replaceCurrent(with: revision, writer.treeNaming, named: names)
            if let remote { known.remotes[remote] = revision }
            let sequence = try write(known, over: row, state: state, in: writer)
            writer.recordChange(of: received.documentID, in: self)
            return .inserted(sequence: sequence, isConflict: false)
        case .conflicting:
            if received.isOvertaken { return .ignoredAsLate }
            guard let remote, received.allowsConflict else { return .refusedAsConflict }
            if known.remotes[remote]?.lineage == revision.lineage { return .known }
            var conflicting = revision
            conflicting.flags.insert(.conflicted)
            if revision.flags.contains(.deleted), known.isCurrent(at: remote) {
                // The remote has put the current revision in the place of this deletion since it sent it, or was restored from a backup. It may have
                // either, and takes only a version on top of both (Version vectors 5.2, "An overtaken deletion").
                let deletions = known.conflicts.filter { $0.flags.contains(.deleted) }
                if deletions.contains(where: { $0.lineage == revision.lineage }) { return .known }
                // A remote can store one more revision in this way, not any number.
                if deletions.isEmpty { known.branches.append(conflicting) } else { known.remotes[remote] = conflicting }
            } else {
                known.remotes[remote] = conflicting
            }
            try writeMetadata(known, over: row, in: writer)
            writer.recordChange(of: received.documentID, in: self)
            return .inserted(sequence: row.sequence, isConflict: true)
        case .same, .older:
            if let remote, !received.isOvertaken { try note(revision, named: treeName, remote, known, over: row, in: writer) }
            return .known
        }
    }

    /// Records that a remote has a revision that is the current one here, or an ancestor of the current one.
    ///
    /// - Parameter name: The ID by which the remote's clients with trees know the revision.
    private func note(
        _ revision: KnownRevision,
        named name: TreeRevisionID?,
        _ remote: RevisionTree.RemoteID,
        _ known: KnownRevisions,
        over row: StoredRow,
        in writer: Writer
    ) throws {
        if let name {
            // A tree cannot hold the version. In the tree, the revision is the one with this ID.
            if row.hasTree, known.formerBranch.contains(name) { return try note(name, inTreeOf: row, remote, in: writer) }
            // The remote has got the current revision since it sent this one, which the vector of the current one need not include.
            if known.remotes[remote]?.lineage.id == known.current.lineage.id { return }
        }
        guard known.remotes[remote]?.lineage != revision.lineage else { return }
        var known = known
        known.remotes[remote] = revision
        try writeMetadata(known, over: row, in: writer)
    }
}

extension KnownRevisions {
    /// Whether the document is deleted, and a revision that was made without knowledge of the deletion replaces it: at a client's request, as in
    /// a tree; or because a remote that had the deletion has it no longer (Version vectors 5.2, "4.1 adds").
    fileprivate func isReplacedDeletion(at remote: RevisionTree.RemoteID?, allowsConflict: Bool) -> Bool {
        guard current.flags.contains(.deleted) else { return false }
        return remote.map(isCurrent) ?? !allowsConflict
    }

    /// Whether a remote is known to have the current revision.
    fileprivate func isCurrent(at remote: RevisionTree.RemoteID) -> Bool {
        remotes[remote]?.lineage.id.isSame(as: current.lineage.id) ?? false
    }

    /// Whether a version of a remote replaces the current revision, one of a tree, although it is not known to descend from it: a database that
    /// was upgraded has forgotten the revisions in the middle of its tree (Version vectors 5.2, "Rule of this library").
    ///
    /// No change is lost, as when a remote switches to another branch of a tree (Replication 4.6): the remote had the current revision as its own
    /// current one, with all changes in it, and has replaced it knowingly. After a change that was made here and that the remote does not have, the
    /// current revision is not the one known there.
    ///
    /// Only a remote that was restored from a backup may lack the revision. Unless it went on with its tree before it was upgraded, its
    /// generations are not higher, and the version is in conflict.
    ///
    /// - Parameters:
    ///   - stored: What is known of the history of the current revision.
    ///   - received: What is known of the history of the remote's revision.
    fileprivate func isLeftBehind(
        in stored: RevisionAncestry,
        at remote: RevisionTree.RemoteID?,
        by received: RevisionAncestry
    ) -> Bool {
        guard let remote, isCurrent(at: remote) else { return false }
        return stored.isOfTree && !received.vector.isEmpty && received.treeGeneration > stored.treeGeneration
    }
}

/// The name of a received revision, and the IDs of its ancestors in trees, newest first; its own one is the first if it has no version.
private struct RevisionName {
    let lineage: Lineage
    let legacy: [TreeRevisionID]
}

extension ReceivedRevision {
    /// The name of the revision; `nil` if its history is invalid: versions after IDs in trees, a database twice, or generations that do not
    /// decrease.
    fileprivate var name: RevisionName? {
        let versions = history.prefix { $0.tree == nil }.compactMap(\.version)
        let trees = history.dropFirst(versions.count).compactMap(\.tree)
        guard versions.count + trees.count == history.count, zip(trees, trees.dropFirst()).allSatisfy({ $0.generation > $1.generation })
        else { return nil }
        switch revision {
        case .tree(let id): return versions.isEmpty ? RevisionName(lineage: .tree(id), legacy: [id] + trees) : nil
        case .version(let version):
            // The caller refuses a history that is not valid, whatever the reason.
            guard (0...versions.count).contains(mergedCount),
                let vector = try? VersionVector(checking: [version] + versions, currentCount: 1 + mergedCount)
            else { return nil }
            return RevisionName(lineage: .vector(vector, current: version), legacy: trees)
        }
    }
}
