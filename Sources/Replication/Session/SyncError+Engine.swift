import BLIP
import DocumentStore
import Fleece
import SQLiteEngine

extension SyncError {
    /// An error of the engine, as replication names it.
    package init(wrapping error: any Error) {
        switch error {
        case let error as SyncError: self = error
        case StoreError.system(_, let code): self.init(.posix, Int(code), "\(error)")
        case let error as StoreError: self.init(.liteCore, error.code, error.description)
        case let error as SQLiteError where error.isFull: self.init(.posix, Self.noSpaceLeft, error.description)
        case let error as SQLiteError: self.init(.sqlite, Int(error.code), error.description)
        case let error as FleeceError: self.init(.liteCore, 5, error.description)
        default: self.init(.liteCore, 10, "\(error)")
        }
    }

    /// `ENOSPC`, which has this number on every system we run on.
    static let noSpaceLeft = 28

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
