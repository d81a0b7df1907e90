#if Replication
import SyncCore

extension SyncError: PublicErrorConvertible {
    /// The error with the codes of API 14 and Replication 4.11.
    var publicError: NSError {
        switch domain {
        case .liteCore: .couchbaseLite(code, text)
        case .blip: .couchbaseLite(CBLError.remoteError, text)
        // The close code 1001 becomes 11001, the HTTP status 404 becomes 10404.
        case .http, .webSocket: .couchbaseLite(code(from: CBLError.httpBase), text)
        case .network: .couchbaseLite(code(from: CBLError.networkBase), text)
        case .tls: .couchbaseLite(CBLError.tlsHandshakeFailed, text)
        case .posix: .make(NSPOSIXErrorDomain, code, text)
        case .sqlite: .make("CouchbaseLite.SQLite", code, text)
        case .fleece: .make("CouchbaseLite.Fleece", code, text)
        }
    }

    /// The code counted from `base`. Peers choose the numbers they send: one that fits no public code is an error of the remote side.
    private func code(from base: Int) -> Int { (1..<5000).contains(code) ? base + code : CBLError.remoteError }

    private var text: String {
        if !message.isEmpty { return message }
        switch domain {
        case .http: return "the peer responded with HTTP status \(code)"
        case .webSocket where code < 1000: return "the peer responded with HTTP status \(code)"
        case .webSocket: return "the connection was closed with code \(code)"
        case .posix: return String(cString: strerror(Int32(truncatingIfNeeded: code)))
        case .blip, .liteCore, .sqlite, .fleece, .network, .tls: return description
        }
    }
}
#endif
