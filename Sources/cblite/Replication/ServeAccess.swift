#if Replication
import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// From where a server is reached, who may come in, and what they may do.
struct ServeAccess: ParsableArguments {
    @Option(
        name: [.long, .customLong("host")],
        help: ArgumentHelp(
            "The network interface to listen on, by name or address. Unless told otherwise, this machine only.",
            valueName: "name"
        )
    )
    var interface: String?

    @Flag(help: "Listen on all network interfaces.")
    var allInterfaces = false

    @Option(
        help: ArgumentHelp(
            "Whom to let in. The password is asked for, unless it is in CBLITE_SYNC_PASSWORD or in a file.",
            valueName: "name"
        )
    )
    var user: String?

    @Option(help: ArgumentHelp("The user's password: the first line of a file.", valueName: "file"), completion: .file())
    var userPasswordFile: String?

    @Flag(help: "Let anybody in, from other machines too.")
    var anonymous = false

    @Flag(help: "Use TLS, with a certificate that is made on first use.")
    var tls = false

    @Option(help: ArgumentHelp("Use TLS, with this certificate and private key: a file, PEM.", valueName: "file"), completion: .file())
    var cert: String?

    @Flag(name: .customLong("no-tls"), help: "Do without TLS, for other machines too: what is sent can be read on the way.")
    var noTLS = false

    @Flag(help: "Let nobody change anything.")
    var readOnly = false

    @Flag(help: "Let whoever may come in change things. Needs saying with --anonymous only.")
    var writable = false

    func validate() throws {
        guard userPasswordFile == nil || user != nil else { throw ValidationError("--user-password-file needs --user.") }
        guard interface == nil || !allInterfaces else { throw ValidationError("Give one of --interface and --all-interfaces.") }
        guard user == nil || !anonymous else { throw ValidationError("Give one of --user and --anonymous.") }
        guard !noTLS || !tls && cert == nil else { throw ValidationError("Give --no-tls, or one of --tls and --cert.") }
        guard !readOnly || !writable else { throw ValidationError("Give one of --read-only and --writable.") }
    }

    /// What was asked for, if it may be.
    ///
    /// - Throws: ``Failure``, a usage error, when it opens more to other machines than was said in as many words.
    func terms() throws -> Terms {
        let isOfThisMachineOnly = try isOfThisMachineOnly()
        let usesTLS = tls || cert != nil
        if !isOfThisMachineOnly {
            var missing: [String] = []
            if user == nil, !anonymous { missing.append("--user NAME, or --anonymous to let anybody in") }
            if !usesTLS, !noTLS {
                missing.append("--tls or --cert FILE, or --no-tls although all can be read on the way")
            }
            guard missing.isEmpty else {
                throw Failure(
                    .usage,
                    "reaching it from other machines needs \(missing.joined(separator: "; and "))",
                    hint: "Without --interface and --all-interfaces it is reached from this machine only."
                )
            }
        }
        return Terms(
            interface: allInterfaces ? nil : interface ?? "localhost",
            isOfThisMachineOnly: isOfThisMachineOnly,
            user: try user.map {
                ServedUser(name: $0, password: try UserPassword.read(file: userPasswordFile, asking: "Password of \($0): "))
            },
            usesTLS: usesTLS,
            identity: try cert.map(CertificateFile.identity),
            isReadOnly: readOnly || !isOfThisMachineOnly && user == nil && !writable
        )
    }

    private func isOfThisMachineOnly() throws -> Bool {
        guard let interface, !allInterfaces else { return !allInterfaces }
        do {
            return try DatabaseServer.isOfThisMachineOnly(interface)
        } catch let error as NSError where error.code == CBLError.unknownInterface {
            throw Failure(.usage, error.localizedDescription)
        }
    }
}

extension ServeAccess {
    /// The terms on which clients are served.
    struct Terms {
        /// Nil for all.
        let interface: String?
        let isOfThisMachineOnly: Bool
        /// Nil lets anybody in.
        let user: ServedUser?
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

        /// For the person who has started it.
        var description: String {
            let place =
                isOfThisMachineOnly
                ? "from this machine only"
                : interface.map { "from other machines, through \($0)" }
                    ?? "from other machines, through all interfaces"
            let visitors = user.map { "\"\($0.name)\" with the password" } ?? "anybody, without a password"
            let rights = isReadOnly ? "may read, not write" : "may read and write"
            return """
                Reached \(place), \(usesTLS ? "with TLS" : "not encrypted").
                Let in: \(visitors); who is in \(rights).
                """
        }
    }
}

/// The one user that a server lets in.
struct ServedUser: Sendable {
    let name: String
    let password: String
}
#endif
