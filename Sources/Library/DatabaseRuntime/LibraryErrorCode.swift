/// A code of the domain `CouchbaseLite` that has a name.
package struct LibraryErrorCode: Sendable {
    /// The name, which is that of the constant in `CBLError`.
    package let name: String
    /// What usually helps, in a sentence or two; `nil` if there is no general advice.
    package let hint: String?

    private init(_ name: String, _ hint: String? = nil) { (self.name, self.hint) = (name, hint) }

    /// The codes with names, by their numbers (API 14). The guide to troubleshooting gives the same advice.
    package static let all: [Int: LibraryErrorCode] = [
        1: LibraryErrorCode("assertionFailed", "Report it to the maintainers of the other peer."),
        2: LibraryErrorCode("unimplemented", "Use another kind of index."),
        3: LibraryErrorCode("unsupportedEncryption"),
        4: LibraryErrorCode("badRevisionID", "Look at the document on the other side."),
        5: LibraryErrorCode("corruptRevisionData", "Run cblite check. Restore a backup, or purge the document and pull it again."),
        6: LibraryErrorCode("notOpen", "Open the database, or get the collection again."),
        7: LibraryErrorCode("notFound", "Read the document again. Save blobs together with their document."),
        8: LibraryErrorCode("conflict", "Resolve the conflict later."),
        9: LibraryErrorCode("invalidParameter", "Correct the argument."),
        10: LibraryErrorCode("unexpectedError", "Look at the underlying error."),
        11: LibraryErrorCode("cantOpenFile", "Check the path and the permissions."),
        12: LibraryErrorCode("ioError", "Check the source of the stream."),
        13: LibraryErrorCode("memoryError"),
        14: LibraryErrorCode("notWriteable", "Check the permissions. Close and open the database. Write inside of Database.write."),
        15: LibraryErrorCode(
            "corruptData",
            "Run cblite check. If only indexes are damaged, use MaintenanceType.reindex or cblite check --repair; otherwise restore a backup."
        ),
        16: LibraryErrorCode("busy", "Close the other object or process, or retry. Make batches shorter."),
        17: LibraryErrorCode("notInTransaction", "Let errors leave the closure of the batch."),
        18: LibraryErrorCode("transactionNotClosed", "Call the function after the batch."),
        19: LibraryErrorCode("unsupported", "Change the configuration."),
        20: LibraryErrorCode("unreadableDatabase", "Give the right key; the message says what is wrong."),
        21: LibraryErrorCode("wrongFormat", "Open the right directory."),
        22: LibraryErrorCode("crypto", "Check the certificate and the password."),
        23: LibraryErrorCode("invalidQuery", "The message shows the place, and what was expected."),
        24: LibraryErrorCode("missingIndex", "Create the index."),
        25: LibraryErrorCode("invalidQueryParam", "Use the names of the query, without $."),
        26: LibraryErrorCode("remoteError", "Look at the log of the other side."),
        27: LibraryErrorCode("databaseTooOld", "Open the database for writing."),
        28: LibraryErrorCode("databaseTooNew", "Use a newer release of this library, or of the app."),
        29: LibraryErrorCode("badDocID", "Use another ID."),
        30: LibraryErrorCode("cantUpgradeDatabase", "The message says why."),
        5001: LibraryErrorCode("dnsFailure", "Wait for the retry."),
        5002: LibraryErrorCode("unknownHost", "Check the URL."),
        5003: LibraryErrorCode("timeout", "Wait for the retry. Check the port."),
        5004: LibraryErrorCode("invalidURL", "Correct the URL."),
        5005: LibraryErrorCode("tooManyRedirects", "Use the final URL."),
        5006: LibraryErrorCode("tlsHandshakeFailed", "The message says what failed. Use ws, or configure the server."),
        5007: LibraryErrorCode("tlsCertExpired", "Renew the certificate. Check the clock."),
        5008: LibraryErrorCode("tlsCertUntrusted", "Use a certificate that the replicator accepts."),
        5009: LibraryErrorCode("tlsClientCertRequired", "Set a ClientCertificateAuthenticator."),
        5010: LibraryErrorCode("tlsClientCertRejected", "Use another certificate."),
        5011: LibraryErrorCode("tlsCertUnknownRoot", "Pin the new certificate, or set ReplicatorConfiguration.trustedRootCertificates."),
        5012: LibraryErrorCode("invalidRedirect", "Configure the server."),
        5027: LibraryErrorCode("unknownInterface", "Use the name or the address of an existing interface."),
        10401: LibraryErrorCode("httpAuthRequired", "Check the authenticator and the database name."),
        10403: LibraryErrorCode("httpForbidden", "Check the permissions of the user."),
        10404: LibraryErrorCode("httpNotFound", "Check the URL and the names of the collections."),
        10407: LibraryErrorCode("httpProxyAuthRequired", "Set the credentials in ProxySettings."),
        10409: LibraryErrorCode("httpConflict", "Pull too, or resolve the conflict on the other side."),
        10413: LibraryErrorCode("httpEntityTooLarge", "Make the document or the blob smaller, or raise the limit of the listener."),
        10418: LibraryErrorCode("httpImATeapot", "Look at the log of the server."),
        10500: LibraryErrorCode("httpInternalServerError", "Look at the log of the server."),
        10501: LibraryErrorCode("httpNotImplemented", "Update the server."),
        10503: LibraryErrorCode("httpServiceUnavailable", "Wait for the retry."),
        11001: LibraryErrorCode("webSocketGoingAway", "Start the replicator again when the other side is back."),
        11002: LibraryErrorCode("webSocketProtocolError", "Check the URL and the proxy."),
        11003: LibraryErrorCode("webSocketDataError", "Look at the log of the other side."),
        11006: LibraryErrorCode(
            "webSocketAbnormalClose",
            "Wait for the retry. Lower ReplicatorConfiguration.heartbeat behind a load balancer."
        ),
        11007: LibraryErrorCode("webSocketBadMessageFormat", "Look at the log of the other side."),
        11008: LibraryErrorCode("webSocketPolicyError", "Look at the log of the other side."),
        11009: LibraryErrorCode("webSocketMessageTooBig", "Make documents smaller."),
        11010: LibraryErrorCode("webSocketMissingExtension", "Check the URL."),
        11011: LibraryErrorCode("webSocketCantFulfill", "Look at the log of the other side."),
        14001: LibraryErrorCode("webSocketCloseUserTransient", "Wait for the retry."),
        14002: LibraryErrorCode("webSocketCloseUserPermanent", "Look at the log of the other side."),
        17001: LibraryErrorCode("invalidJSON", "The message contains the position."),
        18001: LibraryErrorCode("decodingError", "The message contains the path."),
        18002: LibraryErrorCode("encodingError", "Use a Blob, or correct the value."),
    ]
}
