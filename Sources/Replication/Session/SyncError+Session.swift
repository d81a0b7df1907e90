import SyncCore

extension SyncError {
    /// The error reported to the app for a document rejected by its pull filter.
    static let rejectedByPullFilter = SyncError(webSocket: .forbidden, "rejected by the pull filter")

    /// Whether this error of a task, raised locally or by the peer, ends the session (Replication 4.1).
    var endsSession: Bool {
        switch (domain, code) {
        case (.webSocket, 400), (.webSocket, 403), (.webSocket, 503), (.posix, 28): true
        default: isEngine(.unexpectedError, .remoteError)
        }
    }

    /// Whether this local error concerns the database as a whole, which may be readable and writable again later: it is closed, cannot be
    /// written, is busy or cannot be opened. Corrupt data can also be in a single document.
    var concernsDatabase: Bool {
        switch domain {
        case .posix, .sqlite: true
        default: isEngine(.notOpen, .notWriteable, .busy, .unreadableDatabase)
        }
    }

    /// Whether the peer could not apply a delta, so that the complete body must be sent (Replication 4.5).
    var isAboutDelta: Bool { isEngine(.deltaBaseUnknown, .corruptDelta) || (domain == .webSocket && code == 422) }

    /// The response to a request whose body exceeds the size limit.
    static let messageTooLarge = SyncError(http: .tooLarge, "the message is too large")

    /// The response to a revision that is too large, with the text of Sync Gateway (Replication 5.1).
    static let documentTooLarge = SyncError(http: .tooLarge, "Document too large!")

    /// The local form of an error received from a peer (Replication 3.14).
    var fromTheWire: SyncError {
        switch domain {
        case .http: SyncError(.webSocket, code, message)
        case .blip: SyncError(engine: .remoteError, message)
        default: code == 0 ? SyncError(engine: .remoteError, message) : self
        }
    }
}
