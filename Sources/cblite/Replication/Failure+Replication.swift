#if Replication
    import CouchbaseLiteSwift
    import Foundation

    extension Failure {
        /// Why a replication ended before everything had gone over.
        init(replication error: NSError, with target: ReplicationTarget) {
            let message = "\(target.description): \(error.localizedDescription)"
            guard error.domain == CBLError.domain else {
                if error.domain == NSPOSIXErrorDomain, !Self.diskErrors.contains(Int32(clamping: error.code)) {
                    self.init(.unreachable, message, hint: Self.serverHint)
                } else {
                    self.init(.inputOutput, message, hint: error.code == Int(ENOSPC) ? "Make room on the disk." : nil)
                }
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

        /// Errors of the operating system that are about files here, not about the network.
        private static let diskErrors: Set<Int32> = [EACCES, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOENT, ENOSPC, EROFS]
        private static let serverHint = "See whether the server runs, and try again, with --attempts N until it does."
    }
#endif
