import SyncCore

extension SyncError {
    /// The local form of an error received from a peer (Replication 3.14).
    var fromTheWire: SyncError {
        switch domain {
        case .http: SyncError(.webSocket, code, message)
        case .blip: SyncError(.liteCore, 26, message)
        default: code == 0 ? SyncError(.liteCore, 26, message) : self
        }
    }
}
