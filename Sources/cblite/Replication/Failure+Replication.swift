#if Replication
import CouchbaseLiteSwift
import Foundation

/// What was asked for and how far it came, so that a failed replication can be explained.
struct ReplicationSituation {
    let target: ReplicationTarget
    let options: ReplicationOptions
    /// Whether the server had let us in.
    let wasConnected: Bool

    init(_ target: ReplicationTarget, _ options: ReplicationOptions, wasConnected: Bool) {
        self.target = target
        self.options = options
        self.wasConnected = wasConnected
    }
}

extension Failure {
    /// Why a replication ended before everything had gone over.
    init(replication error: NSError, with situation: ReplicationSituation) {
        let message = "\(situation.target.description): \(error.localizedDescription)"
        guard error.domain == CBLError.domain else {
            if error.domain == NSPOSIXErrorDomain, !Self.diskErrors.contains(Int32(clamping: error.code)) {
                self.init(.unreachable, message, hint: Self.serverHint)
            } else {
                self.init(.inputOutput, message, hint: error.code == Int(ENOSPC) ? "Make room on the disk." : nil)
            }
            return
        }
        switch error.code {
        case CBLError.httpAuthRequired: self.init(.noPermission, message, hint: situation.hintForStrangers)
        case CBLError.httpForbidden: self.init(.noPermission, message, hint: situation.hintForForbidden)
        case CBLError.httpNotFound: self.init(.notFound, message, hint: situation.hintForMissing)
        case CBLError.tlsHandshakeFailed...CBLError.tlsCertUnknownRoot, Self.certificateNameMismatch:
            self.init(.refused, message, hint: situation.hintForCertificate(error.code))
        case CBLError.webSocketGoingAway:
            self.init(.unreachable, message, hint: "The server was stopped. Run the command again when it is back.")
        case CBLError.networkBase..<CBLError.httpBase, CBLError.httpServiceUnavailable,
            CBLError.webSocketAbnormalClose:
            self.init(.unreachable, message, hint: Self.serverHint)
        case CBLError.httpBase...: self.init(.refused, message)
        default: self.init(.inputOutput, message)
        }
    }

    /// Errors of the operating system that are about files here, not about the network.
    private static let diskErrors: Set<Int32> = [EACCES, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOENT, ENOSPC, EROFS]
    /// The server's certificate is for another host (Replication 4.11); the public API has no name for it.
    fileprivate static let certificateNameMismatch = CBLError.networkBase + 15
    private static let serverHint = "See whether the server runs, and try again, with --attempts N until it does."
}

extension ReplicationSituation {
    /// For a 401.
    fileprivate var hintForStrangers: String {
        let unknown = "A Sync Gateway says the same of a database that it does not have."
        if let user = options.user {
            return "It does not know the user \(user), or the password is wrong. \(unknown)"
        }
        if options.session != nil { return "The session has ended, or is none. \(unknown)" }
        return "Give the user with --user, or a session with --session. \(unknown)"
    }

    /// For a 403.
    fileprivate var hintForForbidden: String? {
        wasConnected ? "The server lets you read, but not write: what is allowed is up to it." : nil
    }

    /// For a 404: of the database when the server has not let us in, else of a collection.
    fileprivate var hintForMissing: String {
        wasConnected
            ? "The server has the database, but not that collection: make it there, or name others with --collection."
            : "Look at the database's name in the URL."
    }

    /// For what is wrong with TLS.
    fileprivate func hintForCertificate(_ code: Int) -> String? {
        switch code {
        case CBLError.tlsCertUnknownRoot:
            if let pinned = options.trust.pinned {
                return
                    "The server shows another certificate than the one in \(pinned), and none that this has signed."
            }
            return
                "Trust one certificate with --pinned FILE, or any that a server has signed itself with --self-signed."
        case CBLError.tlsCertUntrusted where options.trust.selfSigned:
            return
                "Somebody vouches for this certificate: leave --self-signed away, or pin the certificate with --pinned FILE."
        case CBLError.tlsCertUntrusted: return "Trust one certificate with --pinned FILE."
        case CBLError.tlsCertExpired:
            return "Look at the clocks of both machines, or have the server's certificate renewed."
        case Failure.certificateNameMismatch:
            return "Write the host in the URL as the certificate has it, or pin the certificate with --pinned FILE."
        case CBLError.tlsClientCertRequired: return "Give a certificate of your own with --cert FILE."
        case CBLError.tlsClientCertRejected: return "The server does not know the certificate of --cert."
        default: return nil
        }
    }
}
#endif
