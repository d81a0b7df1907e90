import DocumentStore

/// Receives the progress of an active puller.
protocol PullerOwner: AnyObject {
    /// Called when all sequences of the peer up to this one are completed. The next session can start after it.
    func pullerAdvanced(to sequence: RemoteSequence?)
    /// Called when the peer has a revision that exists locally and was not recorded as the peer's (Replication 4.4).
    ///
    /// - Parameter isConflictBranch: Whether the revision is on a branch that lost against the current revision.
    func remoteAncestorMoved(documentID: String, revision: RevisionID, isConflictBranch: Bool)
    /// Called when a revision that conflicts with the local one has been stored.
    func conflictArrived(documentID: String)
}
