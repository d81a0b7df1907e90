extension RevisionTree {
    /// What became of a revision received from elsewhere.
    enum ReceiveOutcome: Equatable {
        /// It is the revision at this index now. The list is sorted.
        case inserted(Int)
        /// It was there already. Whether it has become the latest one known to be on the remote.
        case known(isRemoteAncestorMoved: Bool)
        /// The remote has had a later one since. The tree is of no use any more.
        case late
        /// It would have been a conflict. The tree is of no use any more.
        case refused
    }

    /// Adds a revision received from elsewhere (Replication 4.6, "Insert semantics").
    ///
    /// - Parameters:
    ///   - history: The revision and its ancestors, newest first.
    ///   - flags: The revision's.
    ///   - remote: Where it is the current revision; nil when that is of no concern.
    ///   - allowsConflict: Whether a revision that conflicts is stored.
    ///   - isOvertaken: Whether the remote is known to have had a later revision since. One that does not descend from what is known to be
    ///     there is that which gave way then; it would be taken for one that the server has switched to.
    ///   - maximumDepth: How many revisions a branch keeps: ancestors beyond are not added.
    mutating func receive(
        _ history: [RevisionID],
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
        let resurrects = !allowsConflict && current?.isDeleted == true && !history.contains { index(of: $0) != nil }
        guard let (index, isConflict) = insert(history: history, flags: flags, body: body, maximumDepth: maximumDepth)
        else { return .known(isRemoteAncestorMoved: false) }
        let newest = revisions[index].id
        if isConflict, !allowsConflict {
            // A document that was deleted here, and is made anew by somebody who has never seen it.
            guard resurrects else { return .refused }
            clearConflict(from: index)
        }
        if let remote {
            let isSwitch = old.map { !isAncestor($0, of: index) } ?? false
            if isSwitch, isOvertaken { return .late }
            setRemoteAncestor(index, of: remote)
            if let old, isSwitch { settleSwitch(from: old, to: index) }
        }
        sort()
        if isConflict { putInactiveLeavesBehind() }
        if isConflict, !allowsConflict, hasConflict { return .refused }
        return .inserted(self.index(of: newest) ?? 0)
    }

    /// Marks leaves that do not count, old tombstones, as conflicts. The document is in conflict if its second leaf counts
    /// (Storage format 3.7), so that one that does must not stand behind them.
    private mutating func putInactiveLeavesBehind() {
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

    /// The server had `old` for its current revision, and has `new` on another branch now. What is only the server's own is taken
    /// over; when the local side has built upon `old` it stays a conflict.
    private mutating func settleSwitch(from old: Int, to new: Int) {
        guard revisions[old].isLeaf else { return }
        if revisions[old].isConflict {
            purge(leaf: old)
        } else if old == 0 {
            clearConflict(from: new)
            purge(leaf: old)
        }
    }
}
