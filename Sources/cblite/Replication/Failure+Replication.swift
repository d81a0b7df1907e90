#if Replication
    import CouchbaseLiteSwift
    import Foundation

    extension Failure {
        /// Why a replication ended before everything had gone over.
        init(replication error: NSError, with target: ReplicationTarget) {
            let message = "\(target.description): \(error.localizedDescription)"
            guard error.domain == CBLError.domain else {
                self.init(
                    error.domain == NSPOSIXErrorDomain ? .unreachable : .inputOutput,
                    message,
                    hint: Self.serverHint
                )
                return
            }
            switch error.code {
            case CBLError.httpAuthRequired:
                self.init(.noPermission, message, hint: "Give the user with --user, or a session with --session.")
            case CBLError.httpForbidden: self.init(.noPermission, message)
            case CBLError.httpNotFound: self.init(.notFound, message, hint: "Look at the database's name in the URL.")
            case CBLError.tlsCertUnknownRoot, CBLError.tlsCertUntrusted:
                self.init(
                    .refused,
                    message,
                    hint: "Trust one certificate with --pinned FILE, or any of its kind with --self-signed."
                )
            case CBLError.tlsHandshakeFailed...CBLError.tlsCertUnknownRoot: self.init(.refused, message)
            case CBLError.networkBase..<CBLError.httpBase, CBLError.httpServiceUnavailable,
                CBLError.webSocketGoingAway, CBLError.webSocketAbnormalClose:
                self.init(.unreachable, message, hint: Self.serverHint)
            case CBLError.httpBase...: self.init(.refused, message)
            default: self.init(.inputOutput, message)
            }
        }

        private static let serverHint = "See whether the server runs, and try again, with --attempts N until it does."
    }
#endif
