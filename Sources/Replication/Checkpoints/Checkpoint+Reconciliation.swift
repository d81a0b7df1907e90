extension Checkpoint {
    /// Removes everything that the peer's copy does not confirm. The database on either side may have been replaced or restored
    /// (Replication 4.3).
    ///
    /// - Parameter peer: The peer's copy; an empty checkpoint if the peer has none.
    /// - Returns: Whether the two copies agree. If not, the recorded remote ancestors of the peer must not be relied on.
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
        // A lower local number is only an older state, so everything up to it was pulled.
        guard ours > theirs else { return agrees }
        self.remote = peer.remote
        return false
    }
}
