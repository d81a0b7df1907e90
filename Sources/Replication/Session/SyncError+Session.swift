import SyncCore

extension SyncError {
    /// The error reported to the app for a document rejected by its pull filter.
    static let rejectedByPullFilter = SyncError(webSocket: .forbidden, "rejected by the pull filter")

    /// Whether this error of a task, raised locally or by the peer, ends the session (Replication 4.1).
    var endsSession: Bool {
        switch (domain, code) {
        case (.liteCore, 10), (.liteCore, 26), (.webSocket, 400), (.webSocket, 403), (.webSocket, 503): true
        case (.posix, 28): true
        default: false
        }
    }

    /// Whether this local error concerns the database as a whole, which may be readable and writable again later.
    var concernsDatabase: Bool {
        switch (domain, code) {
        case (.liteCore, 16), (.posix, _), (.sqlite, _): true
        default: false
        }
    }

    /// Whether the peer could not apply a delta, so that the complete body must be sent (Replication 4.5).
    var isAboutDelta: Bool {
        switch (domain, code) {
        case (.webSocket, 422), (.liteCore, 31), (.liteCore, 32): true
        default: false
        }
    }

    /// The response to a request whose body exceeds the size limit.
    static let messageTooLarge = SyncError(http: .tooLarge, "the message is too large")

    /// The response to a revision that is too large, with the text of Sync Gateway (Replication 5.1).
    static let documentTooLarge = SyncError(http: .tooLarge, "Document too large!")
}
