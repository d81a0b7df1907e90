import SyncCore

extension SyncError {
    /// The form an error takes that a peer has told.
    var fromTheWire: SyncError {
        switch domain {
        case .http: SyncError(.webSocket, code, message)
        case .blip: SyncError(.liteCore, 26, message)
        default: code == 0 ? SyncError(.liteCore, 26, message) : self
        }
    }
}
