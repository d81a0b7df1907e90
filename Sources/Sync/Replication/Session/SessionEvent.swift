package import DocumentStore
package import SyncCore

/// What a session must be told, in the order in which it happens.
package enum SessionEvent: Sendable {
    /// The channel is open. Always the first event.
    case opened(ChannelHandshake)
    /// Frames that were received together, in order. This costs less than one event per frame, because follow-up work and reports are done
    /// once.
    case frames([[UInt8]])
    /// The channel has ended or could not be opened. Always the last event.
    case closed(ChannelClosure)
    /// A timer that was set by ``SessionAction/setTimer(_:after:)`` has fired.
    case timer(SessionTimer)
    /// Commits of this session or of others have changed documents of these collections.
    case databaseChanged(Set<CollectionID>)
    /// A reported conflict has been resolved, or its resolution failed and was postponed.
    case conflictSettled(collection: CollectionID, documentID: String)
    /// The app stops the session. The channel is closed normally; an active session saves its checkpoints first (Replication 4.2).
    case stop
}

/// What the owner of a session must do, in the order returned.
package enum SessionAction: Sendable {
    /// Closes the channel normally, after the remaining frames were sent; see ``FrameChannel/close(code:reason:)``.
    case close(code: Int, reason: String)
    /// Delivers ``SessionEvent/timer(_:)`` once after this time, unless the timer is cancelled.
    case setTimer(SessionTimer, after: Duration)
    /// Cancels a timer that has not fired. Its event is not delivered anymore.
    case cancelTimer(SessionTimer)
    /// Informs the replicator or the listener to which the session belongs.
    case report(SessionReport)
}

/// Identifies one use of a timer.
package struct SessionTimer: Hashable, Sendable {
    let number: Int
}

/// What a session tells its owner.
package enum SessionReport: Sendable {
    /// The status. Reported after each event that changed it.
    case status(SessionStatus)
    /// Documents whose replication has ended, successfully or with an error.
    case documents([EndedDocument])
    /// A document is in conflict. The owner must resolve the conflict and then deliver
    /// ``SessionEvent/conflictSettled(collection:documentID:)``. The session is busy until then.
    case conflict(collection: CollectionID, documentID: String)
    /// The session has ended; always the last report. `nil` if it completed its work or was stopped.
    case ended(SyncError?)
}

/// The status of a session.
package struct SessionStatus: Sendable, Equatable {
    /// Whether anything is in flight, or a checkpoint of an active session is not yet saved on both sides (Replication 4.1). Keeps its
    /// value when the connection is lost.
    package var isBusy: Bool
    /// The number of revisions completed, successfully or with an error.
    package var completedDocuments: UInt64
    /// The number of revisions known so far that are sent or received, including the completed ones.
    package var totalDocuments: UInt64
    /// The estimated number of revisions that the peer has yet to announce, based on its last sequence if that is known. 0 after the peer
    /// has announced everything.
    package var estimatedDocuments: UInt64 = 0
    /// The documents whose replication has ended, by outcome.
    package var counts = SessionCounts()
    /// The reason for the first document that is counted as refused or postponed; `nil` if there is none.
    package var firstRefusal: SyncError?

    package init(isBusy: Bool = true, completedDocuments: UInt64 = 0, totalDocuments: UInt64 = 0) {
        (self.isBusy, self.completedDocuments, self.totalDocuments) = (isBusy, completedDocuments, totalDocuments)
    }
}

/// A document whose replication has ended (Replication 4.12).
package struct EndedDocument: Sendable, Equatable {
    /// The collection of the document.
    package var collection: CollectionID
    /// The ID of the document.
    package var documentID: String
    /// Whether the document was sent, and not received.
    package var isPush: Bool
    /// Whether the revision is a tombstone.
    package var isDeleted = false
    /// Whether the user has lost access to the document.
    package var isAccessRemoved = false
    /// The reason why it was not replicated; `nil` if it was.
    package var error: SyncError?
    /// Whether the replication of the document is retried automatically.
    package var isTransient = false
}

/// The number of documents that a session has processed, by outcome.
package struct SessionCounts: Sendable, Equatable, CustomStringConvertible {
    /// Documents pushed to the other side, including deletions.
    package var pushed: UInt64 = 0
    /// Documents pulled from the other side.
    package var pulled: UInt64 = 0
    /// Documents removed locally, because the other side deleted them or the user lost access to them.
    package var removed: UInt64 = 0
    /// Documents that were not replicated, and will not be until they change. Those that a pull filter of the app rejects do not count.
    package var refused: UInt64 = 0
    /// Documents that a one-shot session did not replicate because of a temporary error, and leaves to the next one.
    package var postponed: UInt64 = 0

    package init() {}

    /// The number of documents replicated without an error.
    package var replicated: UInt64 { pushed + pulled + removed }

    mutating func addPulled(isRemoved: Bool) {
        if isRemoved { removed += 1 } else { pulled += 1 }
    }

    package var description: String { "\(pushed) pushed, \(pulled) pulled, \(removed) removed, \(refused) refused" }
}
