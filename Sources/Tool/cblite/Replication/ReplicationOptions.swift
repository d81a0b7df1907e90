#if Replication
import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// The options of a replication: what to replicate, the credentials and the connection.
struct ReplicationOptions: ParsableArguments {
    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("A collection to replicate; may be repeated. The default collection if omitted.", valueName: "scope.name")
    )
    var collection: [String] = []

    @Option(name: .customLong("id"), help: ArgumentHelp("Replicate only the document with this ID; may be repeated.", valueName: "id"))
    var ids: [String] = []

    @Option(help: ArgumentHelp("Pull only documents in this channel; may be repeated.", valueName: "name"))
    var channel: [String] = []

    @Flag(help: "Reset the checkpoint, and compare all documents again.")
    var reset = false

    @OptionGroup var login: UserOptions

    @Option(help: ArgumentHelp("The ID of a Sync Gateway session.", valueName: "id"))
    var session: String?

    @Option(help: ArgumentHelp("An HTTP header field of the request; may be repeated.", valueName: "name: value"))
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            "The maximum number of connection attempts. 1 by default; unlimited for a continuous sync.",
            valueName: "n"
        )
    )
    var attempts: UInt?

    @OptionGroup var trust: TrustOptions

    func validate() throws {
        guard attempts != 0 else { throw ValidationError("--attempts must be at least 1.") }
        guard login.user == nil || session == nil else { throw ValidationError("Give one of --user and --session.") }
        for field in header where Self.headerField(field) == nil {
            throw ValidationError("--header \"\(field)\" is not of the form 'NAME: VALUE'.")
        }
        for typed in collection { _ = try CollectionName(typed) }
    }

    /// Returns the collections given by `--collection`, or the default collection.
    ///
    /// - Parameter creating: Whether to create those that do not exist.
    /// - Throws: ``Failure`` if a collection does not exist and `creating` is false.
    func collections(of database: Database, creating: Bool) throws -> [DocumentCollection] {
        guard !collection.isEmpty else { return [try database.defaultCollection()] }
        return try collection.map { try CollectionName($0).open(in: database, creating: creating) }
    }

    /// Returns the configuration of a collection, which is the same for each.
    func configuration(of collection: DocumentCollection, resolver: ResolvedConflicts) -> CollectionConfiguration {
        var configuration = CollectionConfiguration(collection: collection)
        if !ids.isEmpty { configuration.documentIDs = ids }
        if !channel.isEmpty { configuration.channels = channel }
        configuration.conflictResolver = resolver
        return configuration
    }

    /// Sets the headers, attempts, TLS options and credentials. May ask for a password on the terminal.
    func apply(to configuration: ReplicatorConfiguration) throws {
        if !header.isEmpty {
            configuration.headers = Dictionary(header.compactMap(Self.headerField)) { _, last in last }
        }
        if let attempts {
            configuration.maxAttempts = attempts
        } else if !configuration.continuous {
            configuration.maxAttempts = 1
        }
        try trust.apply(to: configuration)
        if let session {
            configuration.authenticator = SessionAuthenticator(sessionID: session)
        } else if let user = try login.credentials() {
            configuration.authenticator = BasicAuthenticator(username: user.name, password: user.password)
        }
    }

    private static func headerField(_ text: String) -> (String, String)? {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
        let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        return (String(text[..<colon]), value)
    }
}

/// The user at a server. The password is never an argument, because other users of the machine can read arguments.
struct UserOptions: ParsableArguments {
    private static let variable = "CBLITE_SYNC_PASSWORD"

    @Option(
        help: ArgumentHelp(
            "The name of the user. The password is asked for unless it is in CBLITE_SYNC_PASSWORD or in a file.",
            valueName: "name"
        )
    )
    var user: String?

    @Option(help: ArgumentHelp("The user's password: the first line of a file.", valueName: "file"), completion: .file())
    var userPasswordFile: String?

    func validate() throws {
        guard userPasswordFile == nil || user != nil else { throw ValidationError("--user-password-file needs --user.") }
    }

    /// Returns the user and the password; `nil` if no user was given. May ask for the password on the terminal.
    func credentials() throws -> (name: String, password: String)? {
        guard let user else { return nil }
        if let userPasswordFile { return (user, try SecretFile.password(userPasswordFile)) }
        if let password = ProcessInfo.processInfo.environment[Self.variable] { return (user, password) }
        let password = try Terminal.promptForSecret(
            "Password of \(user): ",
            hint: "Give it with --user-password-file FILE, or in the environment variable \(Self.variable)."
        )
        return (user, password)
    }
}
#endif
