import SyncCore

extension SyncError {
    /// The error reported to the app for a document rejected by its pull filter.
    static let rejectedByPullFilter = SyncError(.webSocket, 403, "rejected by the pull filter")

    /// Whether this error of a task, raised locally or by the peer, ends the session (Replication 4.1).
    var endsSession: Bool {
        switch (domain, code) {
        case (.liteCore, 10), (.liteCore, 26), (.webSocket, 400), (.webSocket, 403), (.webSocket, 503): true
        case (.posix, 28): true
        default: false
        }
    }

    /// The response to a request whose body exceeds the size limit.
    static let messageTooLarge = SyncError(.http, 413, "the message is too large")

    /// The response to a revision that is too large, with the text of Sync Gateway (Replication 5.1).
    static let documentTooLarge = SyncError(.http, 413, "Document too large!")
}
