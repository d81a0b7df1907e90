import Fleece

/// Resolving conflicts in databases with version vectors (Version vectors 5.3).
extension CollectionStore {
    /// Resolves a conflict: both revisions become ancestors of the result. Assigns a new sequence to the document.
    ///
    /// - Returns: `nil`, without any change, if the remote revision was changed since the conflict was read.
    func resolveVersions(
        _ conflict: StoredConflict,
        with resolution: ConflictResolution,
        _ row: StoredRow,
        state: CollectionWriteState,
        in writer: Writer
    ) throws -> ResolvedConflict? {
        var known = try row.knownRevisions()
        guard let theirs = known.conflicts.first(where: { $0.lineage.id == conflict.remote.id }) else { return nil }
        let remotes = known.remotes.filter { $0.value.lineage.id == theirs.lineage.id }.keys
        let branchRemotes = try remotes.isEmpty ? [] : file.branchRemotes(on: writer.connection)
        let isLocalBranch = remotes.allSatisfy(branchRemotes.contains)
        var resolved = try result(of: resolution, known.current, theirs, conflict.documentID, in: writer)
        if isLocalBranch { resolved.lineage = try lineage(after: known.current, and: theirs, conflict.documentID, in: writer) }
        known.resolveConflict(
            with: theirs,
            as: resolved,
            keepsTheirs: resolution.isRemote,
            isLocalBranch: isLocalBranch,
            writer.treeNaming
        )
        for remote in remotes where branchRemotes.contains(remote) { known.remotes[remote] = nil }
        let sequence = try write(known, over: row, state: state, in: writer)
        writer.recordChange(of: conflict.documentID, in: self)
        let isStillConflicted = known.conflicting != nil
        let isDeleted = resolved.flags.contains(.deleted)
        if !isStillConflicted, !isDeleted { writer.recordArrival(of: conflict.documentID, in: self) }
        return ResolvedConflict(
            revision: resolved.lineage.id,
            sequence: sequence,
            isDeleted: isDeleted,
            isNew: !resolution.isRemote,
            isStillConflicted: isStillConflicted
        )
    }

    /// Returns the current revision after a resolution.
    func result(
        of resolution: ConflictResolution,
        _ mine: KnownRevision,
        _ theirs: KnownRevision,
        _ documentID: String,
        in writer: Writer
    ) throws -> KnownRevision {
        switch resolution {
        case .remote:
            let lineage: Lineage
            switch (theirs.lineage, mine.lineage) {
            case (.vector, .vector): lineage = try theirs.lineage.winning(over: mine.lineage, of: documentID)
            case (.vector, .tree), (.tree, .tree): lineage = theirs.lineage
            case (.tree(let id), .vector): lineage = id.version.map { Lineage(.version($0)) } ?? theirs.lineage
            }
            return KnownRevision(lineage: lineage, flags: theirs.flags.subtracting(.conflicted), body: theirs.body)
        case .local:
            let lineage: Lineage
            if case .vector = mine.lineage, case .tree = theirs.lineage, mine.lineage.id.version?.isTreeRevision ?? false {
                // Both versions are by the same source, so only a version of this database can be later than both.
                lineage = try writer.nextLineage(after: theirs.lineage.comparableVector ?? .empty, of: documentID)
            } else if case .tree(let id) = mine.lineage, case .tree = theirs.lineage {
                lineage = try id.version.map { Lineage(.version($0)) } ?? writer.nextLineage(after: .empty, of: documentID)
            } else {
                lineage = try mine.lineage.winning(over: theirs.lineage, of: documentID)
            }
            return KnownRevision(lineage: lineage, flags: mine.flags, body: mine.body)
        case .deleted:
            let lineage = try mergedLineage(mine, theirs, documentID, in: writer)
            return KnownRevision(lineage: lineage, flags: .deleted, body: Array(FleeceData.emptyDictionary.bytes))
        case .merged(let body):
            return try withAdopted(body, of: documentID, in: writer) { bytes in
                let lineage = try mergedLineage(mine, theirs, documentID, in: writer)
                return KnownRevision(lineage: lineage, flags: body.hasBlobs ? .hasAttachments : [], body: [UInt8](bytes))
            }
        }
    }

    /// Returns the name of a revision that replaces the current one and one in conflict with it that no remote is known to have. It is a version of
    /// this database on top of all versions of both, whatever its content is, because all remotes need it: they have at most the other side.
    private func lineage(
        after mine: KnownRevision,
        and branch: KnownRevision,
        _ documentID: String,
        in writer: Writer
    ) throws(StoreError) -> Lineage {
        let other = branch.lineage.comparableVector ?? .empty
        let vector = try StoreError.checking(documentID) { () throws(VersionError) in
            try mine.lineage.vector.trivialMerge(over: other)
        }
        return try writer.nextLineage(after: vector, of: documentID)
    }

    /// Returns the name of a revision with new content.
    private func mergedLineage(
        _ mine: KnownRevision,
        _ theirs: KnownRevision,
        _ documentID: String,
        in writer: Writer
    ) throws(StoreError) -> Lineage {
        guard !mine.lineage.isTree || !theirs.lineage.isTree, let local = mine.lineage.comparableVector,
            let remote = theirs.lineage.comparableVector
        else { return try writer.nextLineage(after: .empty, of: documentID) }
        return try writer.mergedLineage(local, remote, of: documentID)
    }
}

extension Lineage {
    /// Returns the name of this revision after it has won over a conflicting one. An ID in a tree becomes the version that stands for it.
    ///
    /// - Throws: `corruptDocument` if the versions do not make a vector.
    fileprivate func winning(over loser: Lineage, of documentID: String) throws(StoreError) -> Lineage {
        guard let winner = comparableVector, let other = loser.comparableVector else { return self }
        let vector = try StoreError.checking(documentID) { () throws(VersionError) in try winner.trivialMerge(over: other) }
        return vector.current.map { .vector(vector, current: $0) } ?? self
    }
}
