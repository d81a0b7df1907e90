import SyncCore

extension SyncError {
    /// The local form of an error received from a peer (Replication 3.14).
    var fromTheWire: SyncError {
        switch domain {
        case .http: SyncError(.webSocket, code, message)
        case .blip: SyncError(engine: .remoteError, message)
        default: code == 0 ? SyncError(engine: .remoteError, message) : self
        }
    }
}
