extension RevisionTree {
    /// Returns whether one revision is an ancestor of the other, or the same revision.
    func isAncestor(_ ancestor: Int, of index: Int) -> Bool {
        branch(from: index).contains(ancestor)
    }

    /// Records that a revision is the latest one on a remote, and keeps its body as the base of deltas and merges (Replication 4.4).
    mutating func setRemoteAncestor(_ index: Int, of remote: RemoteID) {
        remotes[remote] = index
        if revisions[index].body != nil { keepBodyOnly(of: index) }
    }

    /// Records that a remote has a revision. Returns `false` if nothing changed, because the revision is the known latest one of the remote
    /// or an ancestor of it. (The acknowledgement of a push can arrive after that of the next push.)
    ///
    /// If a local revision has replaced a conflicting one on the remote, the conflict is resolved: the conflicting branch is removed, and
    /// the list is sorted.
    mutating func noteRemoteAncestor(_ index: Int, of remote: RemoteID) -> Bool {
        let known = remotes[remote]
        if let known, isAncestor(index, of: known) { return false }
        setRemoteAncestor(index, of: remote)
        if let known, revisions[known].isLeaf, revisions[known].isConflict, isAncestor(index, of: 0),
            !remotes.values.contains(known)
        {
            purge(leaf: known)
        }
        return true
    }
}
