extension RevisionTree {
    /// The result of adding a received revision.
    enum ReceiveOutcome: Equatable {
        /// The revision was added and has this index. The list is sorted.
        case inserted(Int)
        /// The revision was already known. `isRemoteAncestorMoved` is whether it became the latest known revision of the remote.
        case known(isRemoteAncestorMoved: Bool)
        /// A later revision of the remote is already known. The tree is invalid and must be discarded.
        case late
        /// The revision would cause a conflict. The tree is invalid and must be discarded.
        case refused
    }

    /// Adds a received revision (Replication 4.6, "Insert semantics").
    ///
    /// - Parameters:
    ///   - history: The revision and its ancestors, newest first.
    ///   - flags: The flags of the revision.
    ///   - remote: The remote where it is the current revision; `nil` if there is none.
    ///   - allowsConflict: Whether a conflicting revision is stored.
    ///   - isOvertaken: Whether a later revision of the remote is already known. If the received revision does not descend from the known
    ///     one, the remote has discarded it; without this parameter it would look as if the remote had switched to its branch.
    ///   - maximumDepth: The maximum number of revisions in a branch. Older ancestors are not added.
    mutating func receive(
        _ history: [TreeRevisionID],
        flags: RevisionFlags,
        body: [UInt8],
        remote: RemoteID?,
        allowsConflict: Bool,
        isOvertaken: Bool = false,
        maximumDepth: Int
    ) -> ReceiveOutcome {
        let old = remote.flatMap { remotes[$0] }
        if let known = history.first.flatMap({ index(of: $0) }) {
            let isMoved = remote.map { noteRemoteAncestor(known, of: $0) } ?? false
            return isMoved || remote == nil || old == known ? .known(isRemoteAncestorMoved: isMoved) : .late
        }
        let resurrects = !allowsConflict && current?.isDeleted == true && commonAncestor(of: history).index == nil
        guard let (index, isConflict) = insert(history: history, flags: flags, body: body, maximumDepth: maximumDepth)
        else { return .known(isRemoteAncestorMoved: false) }
        let newest = revisions[index].id
        if isConflict, !allowsConflict {
            // The document was deleted here, and was created again elsewhere without knowledge of the deleted one.
            guard resurrects else { return .refused }
            clearConflict(from: index)
        }
        if let remote {
            let isSwitch = old.map { !isAncestor($0, of: index) } ?? false
            if isSwitch, isOvertaken { return .late }
            setRemoteAncestor(index, of: remote)
            if let old, isSwitch { finishSwitch(from: old, to: index) }
        }
        sort()
        if isConflict { moveInactiveLeavesLast() }
        if isConflict, !allowsConflict, hasConflict { return .refused }
        return .inserted(self.index(of: newest) ?? 0)
    }

    /// Marks inactive leaves, which are old tombstones, as conflicts. A document is in conflict if its second leaf is active (Storage
    /// format 3.7), so an active leaf must not be sorted after them.
    private mutating func moveInactiveLeavesLast() {
        let current = Set(branch(from: 0))
        let hidden = revisions.indices.dropFirst().filter {
            revisions[$0].isLeaf && !revisions[$0].isConflict && !isActive($0)
        }
        guard !hidden.isEmpty else { return }
        for leaf in hidden {
            for index in branch(from: leaf) where !current.contains(index) {
                revisions[index].flags.insert(.isConflict)
            }
        }
        sort()
    }

    /// Handles that the remote has switched its current revision from `old` to `new` on another branch. The old branch is removed if it has
    /// no local revisions. If there are local descendants of `old`, the document stays in conflict.
    private mutating func finishSwitch(from old: Int, to new: Int) {
        guard revisions[old].isLeaf else { return }
        if revisions[old].isConflict {
            purge(leaf: old)
        } else if old == 0 {
            clearConflict(from: new)
            purge(leaf: old)
        }
    }
}
