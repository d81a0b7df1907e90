#if Replication
import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// What is replicated, with whom, and as who.
struct ReplicationOptions: ParsableArguments {
    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("A collection to replicate; may be repeated. The default one when none is given.", valueName: "scope.name")
    )
    var collection: [String] = []

    @Option(name: .customLong("id"), help: ArgumentHelp("Only the document with this ID; may be repeated.", valueName: "id"))
    var ids: [String] = []

    @Option(help: ArgumentHelp("Pull only what is in this channel; may be repeated.", valueName: "name"))
    var channel: [String] = []

    @Flag(help: "Forget what was replicated before, and look at everything again.")
    var reset = false

    @Option(
        help: ArgumentHelp(
            "The user at the server. The password is asked for, unless it is in CBLITE_SYNC_PASSWORD or in a file.",
            valueName: "name"
        )
    )
    var user: String?

    @Option(help: ArgumentHelp("The user's password: the first line of a file.", valueName: "file"), completion: .file())
    var userPasswordFile: String?

    @Option(help: ArgumentHelp("The session of a Sync Gateway to use.", valueName: "id"))
    var session: String?

    @Option(help: ArgumentHelp("A header field of the request; may be repeated.", valueName: "name: value"))
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            "How often to try to connect, before giving up. 1 by default; sync tries for ever unless told otherwise.",
            valueName: "n"
        )
    )
    var attempts: UInt?

    @OptionGroup var trust: TrustOptions

    func validate() throws {
        guard attempts != 0 else { throw ValidationError("--attempts is a number from 1.") }
        guard user == nil || session == nil else { throw ValidationError("Give one of --user and --session.") }
        guard userPasswordFile == nil || user != nil else { throw ValidationError("--user-password-file needs --user.") }
        for field in header where Self.headerField(field) == nil {
            throw ValidationError("--header \"\(field)\" is not of the form 'NAME: VALUE'.")
        }
        for name in collection where name.split(separator: ".", omittingEmptySubsequences: false).count > 2 {
            throw ValidationError("--collection \(name): a collection is named NAME or SCOPE.NAME.")
        }
    }

    /// The collections of the database that were named.
    ///
    /// - Parameter creating: Makes those that do not exist.
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

    /// What goes for every collection.
    var collectionConfiguration: CollectionConfiguration {
        var configuration = CollectionConfiguration()
        if !ids.isEmpty { configuration.documentIDs = ids }
        if !channel.isEmpty { configuration.channels = channel }
        return configuration
    }

    /// Sets what is about the connection.
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

/// A user's password: never an argument, since other users of the machine can read those.
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
        return try Terminal.askSecretly(
            question,
            hint: "Give it with --user-password-file FILE, or in the environment variable \(variable)."
        )
    }
}
#endif
