import DocumentStore

/// What an active puller tells the rest of its session.
protocol PullerOwner: AnyObject {
    /// All of the peer's sequences up to this one have been dealt with, so that the next session can begin behind it.
    func pullerAdvanced(to sequence: RemoteSequence?)
    /// It may have become busy, idle or finished.
    func pullerStateChanged()
    /// The peer has a revision that is here already, and that was not known to be there (Replication 4.4).
    ///
    /// - Parameter isConflictBranch: Whether it is on a branch that lost against the current revision.
    func remoteAncestorMoved(documentID: String, revision: RevisionID, isConflictBranch: Bool)
    /// A revision has been stored that conflicts with the local one.
    func conflictArrived(documentID: String)
}
