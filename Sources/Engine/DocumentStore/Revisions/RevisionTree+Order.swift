extension RevisionTree {
    /// Sorts the list, the current revision first (Storage format 3.7).
    ///
    /// If all leaves are marked as conflicts, the mark is removed from the branch of the first leaf.
    mutating func sort() {
        guard revisions.count > 1 else { return clearConflictOfWinner() }
        let order = revisions.indices.sorted { precedes(revisions[$0], revisions[$1]) }
        if !order.elementsEqual(revisions.indices) { reorder(order) }
        clearConflictOfWinner()
    }

    /// Replaces the list by the revisions at the indexes in `order`, in that order. Links to omitted parents are replaced by links to the
    /// nearest remaining ancestor; other references to omitted revisions are removed.
    mutating func reorder(_ order: [Int]) {
        var newIndex = [Int?](repeating: nil, count: revisions.count)
        for (position, old) in order.enumerated() { newIndex[old] = position }
        let old = revisions
        revisions = order.map { position in
            var revision = old[position]
            var parent = revision.parent
            var steps = 0
            while let ancestor = parent, newIndex[ancestor] == nil, steps < old.count {
                parent = old[ancestor].parent
                steps += 1
            }
            revision.parent = parent.flatMap { newIndex[$0] }
            return revision
        }
        remotes = remotes.compactMapValues { newIndex[$0] }
        rejected = rejected.compactMap { newIndex[$0] }
    }

    private func precedes(_ left: Revision, _ right: Revision) -> Bool {
        if left.isLeaf != right.isLeaf { return left.isLeaf }
        if left.isConflict != right.isConflict { return right.isConflict }
        if left.isDeleted != right.isDeleted { return right.isDeleted }
        let leftClosed = left.flags.contains(.closed)
        if leftClosed != right.flags.contains(.closed) { return !leftClosed }
        return right.id < left.id
    }

    private mutating func clearConflictOfWinner() {
        guard let winner = revisions.first, winner.isConflict else { return }
        var next: Int? = 0
        var hasKeptBody = false
        var steps = 0
        while let index = next, steps < revisions.count {
            revisions[index].flags.remove(.isConflict)
            if revisions[index].flags.contains(.keepBody) {
                if hasKeptBody { revisions[index].flags.remove(.keepBody) }
                hasKeptBody = true
            }
            next = revisions[index].parent
            steps += 1
        }
    }
}
