#if Replication
import CouchbaseLiteSwift
import Foundation

/// The context of a failed replication, from which hints are derived.
struct ReplicationSituation {
    let target: ReplicationTarget
    let options: ReplicationOptions
    /// Whether the server had accepted the connection.
    let wasConnected: Bool
}

extension Failure {
    /// Creates a failure from the error with which a replication stopped.
    init(replication error: NSError, with situation: ReplicationSituation) {
        let message = "\(situation.target.description): \(error.localizedDescription)"
        guard error.domain == CBLError.domain else {
            if error.domain == NSPOSIXErrorDomain, !Self.diskErrors.contains(Int32(clamping: error.code)) {
                self.init(.unreachable, message, hint: Self.serverHint)
            } else {
                self.init(.inputOutput, message, hint: Advice.hint(error))
            }
            return
        }
        switch error.code {
        case CBLError.httpAuthRequired: self.init(.noPermission, message, hint: situation.hintForUnauthorized)
        case CBLError.httpForbidden: self.init(.noPermission, message, hint: situation.hintForForbidden)
        case CBLError.httpNotFound: self.init(.notFound, message, hint: situation.hintForMissing)
        case CBLError.tlsHandshakeFailed...CBLError.tlsCertUnknownRoot, Self.certificateNameMismatch:
            self.init(.refused, message, hint: situation.hintForCertificate(error.code))
        case CBLError.webSocketGoingAway:
            self.init(.unreachable, message, hint: "The server is shutting down. Run the command again when it has restarted.")
        case CBLError.networkBase..<CBLError.httpBase, CBLError.httpServiceUnavailable,
            CBLError.webSocketAbnormalClose:
            self.init(.unreachable, message, hint: Self.serverHint)
        case CBLError.httpBase...: self.init(.refused, message, hint: Advice.hint(error))
        default: self.init(.inputOutput, message, hint: Advice.hint(error))
        }
    }

    /// POSIX errors that are caused by local files, not by the network.
    private static let diskErrors: Set<Int32> = [EACCES, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOENT, ENOSPC, EROFS]
    /// The server's certificate is for another host (Replication 4.11); the public API has no constant for this code.
    fileprivate static let certificateNameMismatch = CBLError.networkBase + 15
    private static let serverHint = "Check that the server is running, or retry with --attempts N."
}

extension ReplicationSituation {
    /// The hint for status 401.
    fileprivate var hintForUnauthorized: String {
        let unknown = "A Sync Gateway returns the same error if the database does not exist."
        if let user = options.login.user {
            return "The server does not know the user \(user), or the password is wrong. \(unknown)"
        }
        if options.session != nil { return "The session is invalid or has expired. \(unknown)" }
        return "Give the user with --user, or a session with --session. \(unknown)"
    }

    /// The hint for status 403.
    fileprivate var hintForForbidden: String? { wasConnected ? "The server allows reading, but not writing." : nil }

    /// The hint for status 404: about a collection if the server had accepted the connection, otherwise about the database.
    fileprivate var hintForMissing: String {
        wasConnected
            ? "The database on the server does not have this collection: create it there, or choose others with --collection."
            : "Check the database name in the URL."
    }

    /// The hint for a TLS error.
    fileprivate func hintForCertificate(_ code: Int) -> String? {
        switch code {
        case CBLError.tlsCertUnknownRoot:
            if let pinned = options.trust.pinned {
                return "The server's certificate is not the one in \(pinned), and is not signed by it."
            }
            return "Trust one certificate with --pinned FILE, or any self-signed certificate with --self-signed."
        case CBLError.tlsCertUntrusted where options.trust.selfSigned:
            return "The certificate is not self-signed: omit --self-signed, or pin the certificate with --pinned FILE."
        case CBLError.tlsCertUntrusted: return "Trust one certificate with --pinned FILE."
        case CBLError.tlsCertExpired:
            return "Check the clocks of both machines, or renew the server's certificate."
        case Failure.certificateNameMismatch:
            return "Use the host name of the certificate in the URL, or pin the certificate with --pinned FILE."
        case CBLError.tlsClientCertRequired: return "Give a client certificate with --cert FILE."
        case CBLError.tlsClientCertRejected: return "The server does not accept the certificate given with --cert."
        default: return nil
        }
    }
}
#endif
