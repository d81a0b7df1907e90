#if Replication
import DocumentStore
import Base
import SyncCore
import SyncRuntime
import Transport
package import WebServer

/// The configuration of a ``Hub``.
package struct HubOptions: Sendable {
    /// The directory that contains the databases.
    package var directory: String
    /// The port. 0 selects any free port. Default: 0.
    package var port = 0
    /// The network interface, as for a listener: `localhost` by default; `nil` for all.
    package var networkInterface: String? = "localhost"
    /// The names under which clients of other machines reach the hub, beside those of this machine: that of a proxy that passes their requests on.
    /// With such names, a hub for this machine only must have a user, and requests for other names are refused on all interfaces. Default: none.
    package var hostNames: [String] = []
    /// The port for administration, on this machine only: there all requests have access to everything, and users can be managed. 0 selects any
    /// free port; `nil`, the default, opens none.
    package var adminPort: Int?
    /// The certificate for TLS; `nil`, the default, for connections that are not encrypted. The port for administration does not use TLS.
    package var certificate: HubCertificate?
    /// Where the channels of documents come from. Default: the property `channels` of all documents.
    package var channelMapping = ChannelMapping()
    /// The origins of web pages that are served, such as `http://localhost:3000`. `*` allows all. Default: none.
    package var allowedOrigins: [String] = []
    /// The maximum size of a document in a request, in bytes. Default: 20 MiB, as in Sync Gateway.
    package var maximumDocumentSize = 20 << 20
    /// The maximum size of an attachment in a request, and of a blob that a client pushes, in bytes. Default: 20 MiB, as in Sync Gateway.
    package var maximumAttachmentSize = 20 << 20
    /// The maximum time that a request for changes waits for one, in milliseconds. Default: 15 minutes.
    package var maximumFeedTimeout = 900_000
    /// The limits on passwords.
    package var passwordLimits = PasswordLimits()
    /// Returns the time for the limits on passwords, in milliseconds since any fixed moment.
    package var now = WebSocketOptions().now
    /// The number of iterations of the hash of new passwords. Tests use fewer.
    package var passwordIterations: Int?
    /// The number of files and connections that this process may open. If it is low, fewer connections are possible.
    package var maximumDescriptors = Int.max
    /// Receives a line of JSON for each request; `nil` for no log.
    package var requestLog: (@Sendable (String) -> Void)?
    /// Called before each request; ``HubRefusal`` refuses it. For tests of clients.
    package var beforeRequest: (@Sendable () async throws -> Void)?
    /// The limits of the web server. The port, the interface and the names of hosts are set by the hub.
    package var web = WebServerOptions()

    /// The time in which responses may be completed when the hub stops, in seconds.
    package var stopTimeout: Double {
        get { web.stopTimeout }
        set { web.stopTimeout = newValue }
    }

    package init(directory: String) { self.directory = directory }

    /// Returns whether a text can be one of ``hostNames``: a name or an address without a port; `[::1]` for IPv6.
    package static func isHostName(_ text: String) -> Bool { HostField.name(text).map { $0.isExactly(text.lowercased()) } ?? false }
}

/// The certificate and the private key of a hub that uses TLS.
package enum HubCertificate: Sendable {
    /// A self-signed certificate for this hub. It is generated on first use and stored with the identities of the user who runs the hub, so that
    /// clients can pin it.
    case generated
    /// A certificate in a PEM file, followed by those of its issuers, and its private key in another PEM file, or in the same if `key` is `nil`.
    case files(certificate: String, key: String?)
    /// A new self-signed certificate for `localhost` and 127.0.0.1, which is not stored. For tests of clients.
    case temporary
}

extension HubCertificate {
    /// Returns the certificate and its key.
    ///
    /// - Parameter own: The hub's own database, to which a generated certificate belongs.
    /// - Throws: ``SyncError``: LiteCore 22 (crypto) if a file has no certificate or key, or the key is not that of the certificate; POSIX if a
    ///   file cannot be read or written.
    func identity(of own: DatabaseFile) throws -> TLSIdentityData {
        switch self {
        case .generated: try AnonymousIdentity.identity(of: own)
        case .files(let certificate, let key): try TLSIdentityData(certificateFile: certificate, keyFile: key)
        case .temporary:
            try TLSIdentityData.selfSigned(
                attributes: ["CN": "localhost", "dNSName": "localhost", "iPAddress": "127.0.0.1"],
                isServer: true
            )
        }
    }
}
#endif
