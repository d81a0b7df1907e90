extension RevisionTree {
    /// Whether one revision is another's ancestor, or that itself.
    func isAncestor(_ ancestor: Int, of index: Int) -> Bool {
        branch(from: index).contains(ancestor)
    }

    /// Notes that a revision is the latest on a remote, and has its body kept: it is the base of deltas and of merges
    /// (Replication 4.4).
    mutating func setRemoteAncestor(_ index: Int, of remote: RemoteID) {
        remotes[remote] = index
        if revisions[index].body != nil { keepBodyOnly(of: index) }
    }

    /// Notes that a revision has been seen on a remote. False when nothing is new about that: it is known, or it is older than
    /// what is known to be there. (News of a push can come after the next push.)
    ///
    /// A revision of ours may have taken the place of one that conflicts with it: that conflict is over, and its branch goes. The list
    /// is sorted after it.
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
