import SyncCore

extension SyncError {
    /// What the app is told of a document that its pull filter does not let in.
    static let rejectedByPullFilter = SyncError(.webSocket, 403, "rejected by the pull filter")

    /// Whether nothing more can be done once a task has met it, be it on this side or told by the peer (Replication 4.1).
    var endsSession: Bool {
        switch (domain, code) {
        case (.liteCore, 10), (.liteCore, 26), (.webSocket, 400), (.webSocket, 403), (.webSocket, 503): true
        case (.posix, 28): true
        default: false
        }
    }

    /// What is answered to a request whose body is longer than may be taken.
    static let messageTooLarge = SyncError(.http, 413, "the message is too large")

    /// The same for a revision, in the words of Sync Gateway (Replication 5.1).
    static let documentTooLarge = SyncError(.http, 413, "Document too large!")
}
