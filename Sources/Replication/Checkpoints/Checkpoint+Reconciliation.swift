extension Checkpoint {
    /// Takes back what the peer does not confirm: the database on either side may have been replaced or restored
    /// (Replication 4.3).
    ///
    /// - Parameter peer: The peer's copy; an empty one if it has none.
    /// - Returns: Whether the two agree. If not, nothing may be concluded from what the peer is remembered to have.
    mutating func reconcile(with peer: Checkpoint) -> Bool {
        var agrees = true
        if completed != peer.completed {
            completed = completed.intersection(peer.completed)
            agrees = false
        }
        guard let remote, remote != peer.remote else { return agrees }
        guard let ours = remote.number, let theirs = peer.remote?.number else {
            self.remote = nil
            return false
        }
        // A lower one of ours is an older copy, which has seen no more than it says.
        guard ours > theirs else { return agrees }
        self.remote = peer.remote
        return false
    }
}
