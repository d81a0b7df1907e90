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

    @Option(
        help: ArgumentHelp(
            "The user name at the server. The password is asked for unless it is in CBLITE_SYNC_PASSWORD or in a file.",
            valueName: "name"
        )
    )
    var user: String?

    @Option(help: ArgumentHelp("The user's password: the first line of a file.", valueName: "file"), completion: .file())
    var userPasswordFile: String?

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
        guard user == nil || session == nil else { throw ValidationError("Give one of --user and --session.") }
        guard userPasswordFile == nil || user != nil else { throw ValidationError("--user-password-file needs --user.") }
        for field in header where Self.headerField(field) == nil {
            throw ValidationError("--header \"\(field)\" is not of the form 'NAME: VALUE'.")
        }
        for name in collection where name.split(separator: ".", omittingEmptySubsequences: false).count > 2 {
            throw ValidationError("--collection \(name): a collection is named NAME or SCOPE.NAME.")
        }
    }

    /// Returns the collections given by `--collection`, or the default collection.
    ///
    /// - Parameter creating: Whether to create those that do not exist.
    /// - Throws: ``Failure`` if a collection does not exist and `creating` is false.
    func collections(of database: Database, creating: Bool) throws -> [CouchbaseLiteSwift.Collection] {
        guard !collection.isEmpty else { return [try database.defaultCollection()] }
        return try collection.map { typed in
            let parts = typed.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            let (scope, name) = parts.count == 2 ? (parts[0], parts[1]) : (Database.defaultScopeName, parts[0])
            if let found = try database.collection(name: name, scope: scope) { return found }
            guard creating else { throw Failure(.notFound, "there is no collection \(scope).\(name)") }
            return try database.createCollection(name: name, scope: scope)
        }
    }

    /// The configuration that applies to every collection.
    var collectionConfiguration: CollectionConfiguration {
        var configuration = CollectionConfiguration()
        if !ids.isEmpty { configuration.documentIDs = ids }
        if !channel.isEmpty { configuration.channels = channel }
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
        } else if let user {
            configuration.authenticator = BasicAuthenticator(
                username: user,
                password: try UserPassword.read(file: userPasswordFile, asking: "Password of \(user): ")
            )
        }
    }

    private static func headerField(_ text: String) -> (String, String)? {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
        let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        return (String(text[..<colon]), value)
    }
}

/// Reads a user's password. It is never an argument, because other users of the machine can read arguments.
enum UserPassword {
    static let variable = "CBLITE_SYNC_PASSWORD"

    static func read(file: String?, asking question: String) throws -> String {
        if let file {
            guard let content = FileManager.default.contents(atPath: file) else { throw Failure.system("read", file) }
            let line = content.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            guard !line.isEmpty else { throw Failure(.badData, "\(file) has no password in its first line") }
            return String(decoding: line, as: UTF8.self)
        }
        if let password = ProcessInfo.processInfo.environment[variable] { return password }
        return try Terminal.promptForSecret(
            question,
            hint: "Give it with --user-password-file FILE, or in the environment variable \(variable)."
        )
    }
}
#endif
