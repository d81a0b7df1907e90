import Base
package import SyncCore

extension SyncError {
    /// The error reported to the app for a document rejected by its pull filter.
    package static let rejectedByPullFilter = SyncError(webSocket: .forbidden, "rejected by the pull filter")

    /// The response to a revision that the client of a passive session may not store.
    static let missingAccess = SyncError(http: .forbidden, "missing channel access")

    /// The message of the error with which a subscription is refused whose revisions have other names than those of the database.
    static let incompatibleVersioning = "Incompatible document versioning."

    /// Whether the peer has other names of revisions than this database (Version vectors 6.3).
    var isAboutVersioning: Bool { isEngine(.notImplemented) && message.beginsExactly(with: Self.incompatibleVersioning) }

    /// Returns the error with what can be done, if it says that the peer has other names of revisions than this database.
    func explained(to naming: RevisionNaming) -> SyncError {
        guard isAboutVersioning else { return self }
        let difference =
            naming.usesVersions
            ? "this database has version vectors, and the other one has revision trees: upgrade it, or replicate with Couchbase Lite 4"
            : "this database has revision trees, and the other one has version vectors: upgrade this one with upgradeToVersionVectors()"
        return SyncError(domain, code, "\(message) \(difference)")
    }

    /// Whether this error of a task, raised locally or by the peer, ends the session (Replication 4.1).
    var endsSession: Bool {
        switch (domain, code) {
        case (.webSocket, 400), (.webSocket, 403), (.webSocket, 503), (.posix, 28): true
        case _ where isAboutVersioning: true
        default: isEngine(.unexpectedError, .remoteError)
        }
    }

    /// Whether this local error concerns the database as a whole, which may be readable and writable again later: it is closed, cannot be
    /// written, is busy or cannot be opened. Corrupt data can also be in a single document.
    var concernsDatabase: Bool {
        switch domain {
        case .posix, .sqlite: true
        default: isEngine(.notOpen, .notWriteable, .busy, .unreadableDatabase)
        }
    }

    /// Whether the peer could not apply a delta, so that the complete body must be sent (Replication 4.5).
    var isAboutDelta: Bool { isEngine(.deltaBaseUnknown, .corruptDelta) || (domain == .webSocket && code == 422) }

    /// The response to a request whose body exceeds the size limit.
    static let messageTooLarge = SyncError(http: .tooLarge, "the message is too large")

    /// The response to a revision that is too large, with the text of Sync Gateway (Replication 5.1).
    static let documentTooLarge = SyncError(http: .tooLarge, "Document too large!")

    /// The response to a revision with a blob that is too large (Replication 8.8).
    static let blobTooLarge = SyncError(http: .tooLarge, "An attachment is too large")

    /// The local form of an error received from a peer (Replication 3.14).
    var fromTheWire: SyncError {
        switch domain {
        case .http: SyncError(.webSocket, code, message)
        case .blip: SyncError(engine: .remoteError, message)
        default: code == 0 ? SyncError(engine: .remoteError, message) : self
        }
    }
}

/// The classification of errors for retries (Replication 4.11).
///
/// HTTP 500 counts as transient, as in the public API (API 11). Close code 1001 does not, because a peer that sends it was stopped.
extension SyncError {
    /// Whether the error may disappear by itself.
    package var isTransient: Bool {
        switch domain {
        case .http, .webSocket: [408, 429, 500, 502, 503, 504, CloseCode.abnormal.rawValue, CloseCode.retry.rawValue].contains(code)
        case .posix: Self.transientSystemErrors.contains(Int32(truncatingIfNeeded: code))
        case .network: Self.transientNetworkErrors.contains { $0.rawValue == code }
        case .blip, .liteCore, .sqlite, .fleece, .tls: false
        }
    }

    /// Whether the error may disappear when the device changes to another network.
    package var isNetworkDependent: Bool {
        switch domain {
        case .posix: Self.networkSystemErrors.contains(Int32(truncatingIfNeeded: code))
        case .network: Self.localNetworkErrors.contains { $0.rawValue == code }
        case .http, .webSocket, .blip, .liteCore, .sqlite, .fleece, .tls: false
        }
    }

    private static let transientSystemErrors: Set<Int32> = [ENETRESET, ECONNABORTED, ECONNRESET, ETIMEDOUT, ECONNREFUSED]

    private static let networkSystemErrors: Set<Int32> = [
        ENETDOWN, ENETUNREACH, ENOTCONN, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, EADDRNOTAVAIL, EPIPE,
    ]

    private static let transientNetworkErrors: [NetworkCode] = [.dnsFailure, .timeout, .reset, .aborted, .connectionReset, .refused]

    private static let localNetworkErrors: [NetworkCode] = [
        .dnsFailure, .unknownHost, .timeout, .networkDown, .networkUnreachable, .notConnected, .hostDown, .hostUnreachable,
        .addressNotAvailable, .brokenPipe, .unknownInterface,
    ]
}
