extension RevisionTree {
    /// Adds a received revision with the IDs of its ancestors, newest first.
    ///
    /// Missing ancestors are added without bodies. If the new branch starts at a revision that already has children, or at another root, it
    /// is marked as a conflict (Storage format 3.7).
    ///
    /// - Parameter maximumDepth: The maximum number of missing revisions to add.
    /// - Returns: The index of the new revision and whether it is a conflict, or `nil` if the tree already contains it.
    mutating func insert(
        history: [TreeRevisionID],
        flags: RevisionFlags,
        body: [UInt8]?,
        maximumDepth: Int = .max
    ) -> (index: Int, isConflict: Bool)? {
        guard let newest = history.first, index(of: newest) == nil else { return nil }
        let (common, missingCount) = commonAncestor(of: history)
        let missing = history.prefix(min(missingCount, max(1, maximumDepth)))
        let isConflict = common.map { !revisions[$0].isLeaf || revisions[$0].isConflict } ?? !revisions.isEmpty
        let branchFlags: RevisionFlags = isConflict ? .isConflict : []
        var parent = common
        for id in missing.dropFirst().reversed() {
            let ancestor = append(id, parent: parent, flags: branchFlags)
            parent = ancestor
        }
        let index = append(newest, parent: parent, flags: flags.union(branchFlags), body: body)
        if flags.contains(.keepBody) { keepBodyOnly(of: index) }
        return (index, isConflict)
    }

    /// Resolves a conflict: the branch of `loser` is either closed by a tombstone and loses its bodies, or removed completely. Neither
    /// branch is marked as a conflict afterwards (Storage format 3.7). Sorts the list.
    mutating func resolveConflict(winner: TreeRevisionID, loser: TreeRevisionID, closingWith tombstone: TreeRevisionID?) {
        guard let winnerIndex = index(of: winner), let loserIndex = index(of: loser), winnerIndex != loserIndex,
            revisions[winnerIndex].isLeaf, revisions[loserIndex].isLeaf
        else { return }
        for start in [winnerIndex, loserIndex] { clearConflict(from: start) }
        if let tombstone {
            var next: Int? = loserIndex
            let shared = Set(branch(from: winnerIndex))
            while let index = next, !shared.contains(index) {
                revisions[index].body = nil
                revisions[index].flags.subtract([.keepBody, .hasAttachments])
                next = revisions[index].parent
            }
            _ = append(tombstone, parent: loserIndex, flags: [.deleted, .closed], body: [0x70, 0x00])
            sort()
        } else {
            purge(leaf: loserIndex)
        }
    }

    /// Marks the body of one revision to be kept, and those of its ancestors not to be kept. Stops at the start of a conflicting branch,
    /// and skips the revisions that are the latest on a remote (Storage format 3.8).
    mutating func keepBodyOnly(of index: Int) {
        revisions[index].flags.insert(.keepBody)
        let isConflict = revisions[index].isConflict
        let known = Set(remotes.values)
        var next = revisions[index].parent
        var steps = 0
        while let ancestor = next, steps < revisions.count {
            if isConflict, !revisions[ancestor].isConflict { break }
            if !known.contains(ancestor) { revisions[ancestor].flags.remove(.keepBody) }
            next = revisions[ancestor].parent
            steps += 1
        }
    }

    /// Returns the index of the newest known revision of a history, and the number of unknown revisions before it.
    func commonAncestor(of history: [TreeRevisionID]) -> (index: Int?, missing: Int) {
        // A dictionary for long histories, which peers can send.
        if history.count > 64 {
            let known = Dictionary(zip(revisions.map(\.id), revisions.indices), uniquingKeysWith: { first, _ in first })
            for (position, id) in history.enumerated() {
                if let index = known[id] { return (index, position) }
            }
        } else {
            for (position, id) in history.enumerated() {
                if let index = self.index(of: id) { return (index, position) }
            }
        }
        return (nil, history.count)
    }

    /// Removes the conflict mark from a branch.
    mutating func clearConflict(from start: Int) {
        for index in branch(from: start) { revisions[index].flags.remove(.isConflict) }
    }
}
