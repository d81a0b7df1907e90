extension RevisionTree {
    /// The default maximum number of revisions in a branch (Storage format 3.8).
    static let defaultMaximumDepth = 50

    /// Removes the revisions that are farther than `maximumDepth` from a leaf, except those whose body is kept and the latest ones on a
    /// remote. Does nothing if there are at most `maximumDepth` revisions in total.
    mutating func prune(toDepth maximumDepth: Int) {
        guard revisions.count > maximumDepth, maximumDepth > 0 else { return }
        // For each revision, the largest distance to a leaf found so far, at most `maximumDepth + 1`. A branch is followed only while this
        // distance grows. Otherwise an untrusted file with many leaves on one long branch would take leaves × length steps.
        var depths = [Int](repeating: 0, count: revisions.count)
        for leaf in revisions.indices where revisions[leaf].isLeaf {
            var depth = 1
            var next: Int? = leaf
            while let index = next, depths[index] < depth {
                depths[index] = depth
                next = revisions[index].parent
                depth = min(depth, maximumDepth) + 1
            }
        }
        guard depths.contains(where: { $0 > maximumDepth }) else { return }
        let known = Set(remotes.values)
        let kept = revisions.indices.filter {
            depths[$0] <= maximumDepth || revisions[$0].flags.contains(.keepBody) || known.contains($0)
        }
        if kept.count < revisions.count { reorder(kept) }
    }

    /// Removes a leaf and its ancestors up to the first one that has another child (Storage format 3.8). Sorts the list.
    mutating func purge(leaf: Int) {
        guard revisions[leaf].isLeaf else { return }
        var childCounts = [Int](repeating: 0, count: revisions.count)
        for case let parent? in revisions.lazy.map(\.parent) { childCounts[parent] += 1 }
        var isRemoved = [Bool](repeating: false, count: revisions.count)
        var next: Int? = leaf
        while let index = next, !isRemoved[index], index == leaf || childCounts[index] == 1 {
            isRemoved[index] = true
            next = revisions[index].parent
        }
        reorder(revisions.indices.filter { !isRemoved[$0] })
        sort()
    }
}
