import BLIP

extension SyncError {
    /// Whether nothing more can be done once a task has met it, be it on this side or told by the peer (Replication 4.1).
    var endsSession: Bool {
        switch (domain, code) {
        case (.liteCore, 10), (.liteCore, 26), (.webSocket, 400), (.webSocket, 403), (.webSocket, 503): true
        case (.posix, 28): true
        default: false
        }
    }
}
