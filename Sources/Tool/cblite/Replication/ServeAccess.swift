#if Replication
import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// The options for access to a server: network interface, TLS, credentials and rights.
struct ServeAccess: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The network interface to listen on, by name or address. The loopback interface by default.",
            valueName: "name"
        )
    )
    var interface: String?

    @Option(
        help: ArgumentHelp(
            "With --hub: serve clients that reach a proxy before the hub under this name; may be repeated. Otherwise the same as --interface.",
            valueName: "name"
        )
    )
    var host: [String] = []

    @Flag(help: "Listen on all network interfaces.")
    var allInterfaces = false

    @OptionGroup var login: UserOptions

    @Flag(help: "Accept clients without a user name and password, from other machines too.")
    var anonymous = false

    @Flag(help: "Use TLS, with a certificate that is generated on first use.")
    var tls = false

    @Option(
        name: [.long, .customLong("tls-cert")],
        help: ArgumentHelp(
            "Use TLS, with this certificate and the private key in the same file or that of --tls-key: a PEM file.",
            valueName: "file"
        ),
        completion: .file()
    )
    var cert: String?

    @Option(
        help: ArgumentHelp("The private key of the certificate, if it has a file of its own: a PEM file.", valueName: "file"),
        completion: .file()
    )
    var tlsKey: String?

    @Flag(name: .customLong("no-tls"), help: "Do not use TLS, for other machines too: the data is sent unencrypted.")
    var noTLS = false

    @Flag(help: "Do not allow clients to write.")
    var readOnly = false

    @Flag(help: "Allow clients to write. The default, except for anonymous clients on other machines.")
    var writable = false

    func validate() throws {
        guard interface == nil || !allInterfaces else { throw ValidationError("Give one of --interface and --all-interfaces.") }
        guard login.user == nil || !anonymous else { throw ValidationError("Give one of --user and --anonymous.") }
        guard !noTLS || !tls && cert == nil else { throw ValidationError("Give --no-tls, or one of --tls and --cert.") }
        guard tlsKey == nil || cert != nil else { throw ValidationError("--tls-key needs --cert FILE.") }
        guard !readOnly || !writable else { throw ValidationError("Give one of --read-only and --writable.") }
    }

    var usesTLS: Bool { tls || cert != nil }

    /// The interface to listen on without a hub; `nil` if none was given.
    private var givenInterface: String? { interface ?? host.first }

    /// Returns the terms that the options specify. May ask for a password on the terminal.
    ///
    /// - Throws: ``Failure`` with a usage error if other machines could connect without a user or TLS, and this was not allowed explicitly.
    func terms() throws -> Terms {
        let isOfThisMachineOnly = try self.isOfThisMachineOnly()
        if !isOfThisMachineOnly {
            var missing: [String] = []
            if login.user == nil, !anonymous { missing.append("--user NAME, or --anonymous to accept clients without a password") }
            if !usesTLS, !noTLS {
                missing.append("--tls or --cert FILE, or --no-tls to send the data unencrypted")
            }
            guard missing.isEmpty else {
                throw Failure(
                    .usage,
                    "accepting clients from other machines requires \(missing.joined(separator: "; and "))",
                    hint: "Without --interface and --all-interfaces, only clients on this machine can connect."
                )
            }
        }
        return Terms(
            interface: allInterfaces ? nil : givenInterface ?? "localhost",
            isOfThisMachineOnly: isOfThisMachineOnly,
            user: try login.credentials(),
            usesTLS: usesTLS,
            identity: try cert.map { try CertificateFile.identity($0, keyFile: tlsKey) },
            isReadOnly: readOnly || !isOfThisMachineOnly && login.user == nil && !writable
        )
    }

    private func isOfThisMachineOnly() throws -> Bool {
        guard let interface = givenInterface, !allInterfaces else { return !allInterfaces }
        do {
            return try DatabaseServer.isOfThisMachineOnly(interface)
        } catch let error where CBLError.unknownInterface ~= error {
            throw Failure(.usage, error.localizedDescription)
        }
    }
}

extension ServeAccess {
    /// The access rights of clients.
    struct Terms {
        /// The network interface; `nil` for all.
        let interface: String?
        let isOfThisMachineOnly: Bool
        /// The user who may connect; `nil` accepts anonymous clients.
        let user: (name: String, password: String)?
        let usesTLS: Bool
        let identity: TLSIdentity?
        let isReadOnly: Bool

        func apply(to configuration: URLEndpointListenerConfiguration) {
            configuration.networkInterface = interface
            configuration.disableTLS = !usesTLS
            configuration.tlsIdentity = identity
            configuration.readOnly = isReadOnly
            configuration.authenticator = user.map { user in
                ListenerPasswordAuthenticator(username: user.name, password: user.password)
            }
        }

        /// The lines that are printed when the server has started.
        var lines: [String] {
            let place =
                isOfThisMachineOnly
                ? "from this machine only"
                : interface.map { "from other machines, on interface \($0)" }
                    ?? "from other machines, on all interfaces"
            let visitors = user.map { "user \"\($0.name)\" with a password" } ?? "all clients, without a password"
            let rights = isReadOnly ? "may read, but not write" : "may read and write"
            return [
                "Accessible \(place), \(usesTLS ? "with TLS" : "not encrypted").",
                "Access for \(visitors); clients \(rights).",
            ]
        }
    }
}
#endif
