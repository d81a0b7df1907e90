extension RevisionTree {
    /// The default maximum number of revisions in a branch (Storage format 3.8).
    static let defaultMaximumDepth = 50

    /// Removes the revisions that are farther than `maximumDepth` from a leaf, except those whose body is kept and the latest ones on a
    /// remote. Does nothing if there are at most `maximumDepth` revisions in total.
    mutating func prune(toDepth maximumDepth: Int) {
        guard revisions.count > maximumDepth, maximumDepth > 0 else { return }
        var isRemoved = [Bool](repeating: false, count: revisions.count)
        let known = Set(remotes.values)
        for leaf in revisions.indices where revisions[leaf].isLeaf {
            var depth = 1
            var next: Int? = leaf
            while let index = next, depth <= revisions.count {
                if depth > maximumDepth, !revisions[index].flags.contains(.keepBody), !known.contains(index) {
                    isRemoved[index] = true
                }
                next = revisions[index].parent
                depth += 1
            }
        }
        guard isRemoved.contains(true) else { return }
        reorder(revisions.indices.filter { !isRemoved[$0] })
    }

    /// Removes a leaf and its ancestors up to the first one that has another child (Storage format 3.8). Sorts the list.
    mutating func purge(leaf: Int) {
        guard revisions[leaf].isLeaf else { return }
        var removed: Set<Int> = []
        var next: Int? = leaf
        while let index = next {
            removed.insert(index)
            guard let parent = revisions[index].parent, !removed.contains(parent) else { break }
            let hasOtherChild = revisions.indices.contains { revisions[$0].parent == parent && !removed.contains($0) }
            if hasOtherChild { break }
            next = parent
        }
        reorder(revisions.indices.filter { !removed.contains($0) })
        sort()
    }
}
