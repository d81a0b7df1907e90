package import DocumentStore
package import SyncCore

/// What a session is told.
package enum SessionEvent: Sendable {
    /// The channel is ready. Comes first.
    case opened(ChannelHandshake)
    case frame([UInt8])
    /// The channel has ended, or could not be opened. Comes last.
    case closed(ChannelClosure)
    /// Time is up, as was asked by ``SessionAction/setTimer(_:after:)``.
    case timer(SessionTimer)
    /// Commits, its own or others', have changed documents of these collections.
    case databaseChanged(Set<CollectionID>)
    /// A conflict that was reported has been resolved, or has been left for later with an error.
    case conflictSettled(collection: CollectionID, documentID: String)
    /// The app wants the end. The channel is closed in order, after an active session has saved its checkpoints (Replication 4.2).
    case stop
}

/// What a session asks for.
package enum SessionAction: Sendable {
    /// Closes the channel in order, after the frames that there are; see ``FrameChannel/close(code:reason:)``.
    case close(code: Int, reason: String)
    /// Has ``SessionEvent/timer(_:)`` come once after that time, unless it is cancelled.
    case setTimer(SessionTimer, after: Duration)
    case cancelTimer(SessionTimer)
    case report(SessionReport)
}

/// Stands for one use of a timer.
package struct SessionTimer: Hashable, Sendable {
    let number: Int

    package init(number: Int) {
        self.number = number
    }
}

/// What a session has to tell its owner.
package enum SessionReport: Sendable {
    /// What it is doing, and how far it has come. Is told when it changes, as often as it does.
    case status(SessionStatus)
    /// Documents whose replication has ended, well or badly.
    case documents([EndedDocument])
    /// A document has become conflicted, or was found so. Its owner is to resolve it, and then to say
    /// ``SessionEvent/conflictSettled(collection:documentID:)``; till then the session is busy.
    case conflict(collection: CollectionID, documentID: String)
    /// The session is over: the last report. Without an error it has done all it had to, or was stopped.
    case ended(SyncError?)
}

/// What a session is doing.
package struct SessionStatus: Sendable, Equatable {
    /// Whether there is anything in flight, or a checkpoint of an active session has yet to be saved on both sides (Replication 4.1). Stays
    /// what it was when the connection breaks off.
    package var isBusy: Bool
    /// Revisions that have been dealt with, well or badly.
    package var completedDocuments: UInt64
    /// Revisions that are known to be sent or to come, those that have been dealt with included.
    package var totalDocuments: UInt64
    /// About how many more the peer is going to announce, from the last sequence it has, as far as that is known; 0 when it has said that
    /// there are no more.
    package var estimatedDocuments: UInt64 = 0
    /// What has become of the documents whose replication has ended.
    package var counts = SessionCounts()

    package init(isBusy: Bool = true, completedDocuments: UInt64 = 0, totalDocuments: UInt64 = 0) {
        self.isBusy = isBusy
        self.completedDocuments = completedDocuments
        self.totalDocuments = totalDocuments
    }
}

/// One document whose replication has ended (Replication 4.12).
package struct EndedDocument: Sendable, Equatable {
    package var collection: CollectionID
    package var documentID: String
    package var isPush: Bool
    package var isDeleted: Bool
    /// The user may not see it any more.
    package var isAccessRemoved: Bool
    package var error: SyncError?
    /// Whether it will be tried again by itself.
    package var isTransient: Bool

    package init(
        collection: CollectionID,
        documentID: String,
        isPush: Bool,
        isDeleted: Bool = false,
        isAccessRemoved: Bool = false,
        error: SyncError? = nil,
        isTransient: Bool = false
    ) {
        self.collection = collection
        self.documentID = documentID
        self.isPush = isPush
        self.isDeleted = isDeleted
        self.isAccessRemoved = isAccessRemoved
        self.error = error
        self.isTransient = isTransient
    }
}
