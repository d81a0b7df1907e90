import BLIP

extension SyncError {
    /// The form an error takes when it is told to a peer (Replication 3.14).
    var onTheWire: SyncError {
        switch (domain, code) {
        case (.webSocket, ..<1000): SyncError(.http, code, message)
        // The bases of deltas are our own affair; the peer is asked for the whole body.
        case (.liteCore, 31), (.liteCore, 32): SyncError(.http, 422, message)
        default: self
        }
    }

    /// The form an error takes that a peer has told.
    var fromTheWire: SyncError {
        switch domain {
        case .http: SyncError(.webSocket, code, message)
        case .blip: SyncError(.liteCore, 26, message)
        default: code == 0 ? SyncError(.liteCore, 26, message) : self
        }
    }
}
