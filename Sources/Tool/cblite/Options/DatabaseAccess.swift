import ArgumentParser
import CouchbaseLiteSwift
import Fleece
import Foundation

/// The arguments for opening a database: its path, the lock timeout and the key.
struct DatabaseArgument: ParsableArguments {
    @Argument(help: "The directory of the database; the extension .cblite2 may be omitted.", completion: .directory)
    var database: String

    @Option(help: ArgumentHelp("How long to wait if another process has locked the database.", valueName: "seconds"))
    var busyTimeout: Double = 10

    @OptionGroup var key: KeyOptions

    func validate() throws {
        guard busyTimeout >= 0, busyTimeout <= 86_400 else {
            throw ValidationError("--busy-timeout must be a number of seconds from 0 to 86400.")
        }
    }

    /// The path of the database directory; with the extension if only the path with the extension exists.
    var path: String { DatabasePath.existing(database) }

    /// Opens the database read-only, runs `body`, and closes the database. Files of older releases are not upgraded.
    func reading<Result>(_ body: (Database) throws -> Result) throws -> Result { try opening().using(.reading, body) }

    /// Opens the database for writing, which upgrades files of older releases, runs `body`, and closes the database.
    ///
    /// - Parameter creating: Whether to create the database if it does not exist.
    func writing<Result>(creating: Bool = false, _ body: (Database) throws -> Result) throws -> Result {
        let path = creating ? DatabasePath.new(database) : path
        let opening = Opening(path: path, busyTimeout: busyTimeout, key: try secret(path))
        return try opening.using(creating ? .creating : .writing, body)
    }

    /// Returns the options for opening the database.
    ///
    /// - Throws: ``Failure`` if the key or password cannot be read.
    func opening() throws -> Opening { Opening(path: path, busyTimeout: busyTimeout, key: try secret(path)) }

    /// Returns the key from the options, or that of the shell's database.
    private func secret(_ path: String) throws -> EncryptionKey? {
        if let shell = ShellContext.current, shell.path == path { return shell.key }
        return try key.secret()
    }
}

/// Resolves a database path given on the command line.
enum DatabasePath {
    /// Returns the path unchanged, or with the extension if only the path with the extension exists, or is the database.
    static func existing(_ typed: String) -> String {
        let path = withoutSlashes(typed)
        let extended = path + "." + DatabaseFiles.fileExtension
        if FileManager.default.fileExists(atPath: path) {
            // Another directory of the name may be beside the database.
            let isOther = FileStatus(path)?.isDirectory == true && !DatabaseFiles.exist(at: path) && DatabaseFiles.exist(at: extended)
            return isOther ? extended : path
        }
        return FileManager.default.fileExists(atPath: extended) ? extended : path
    }

    /// Returns the path for a database that may have to be created: the existing path, otherwise the path with the extension.
    static func new(_ typed: String) -> String {
        let path = existing(typed)
        guard !FileManager.default.fileExists(atPath: path), !path.hasSuffix("." + DatabaseFiles.fileExtension) else { return path }
        return path + "." + DatabaseFiles.fileExtension
    }

    private static func withoutSlashes(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }
}

/// The option that specifies a collection.
struct CollectionOption: ParsableArguments {
    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("The collection; the default collection if omitted.", valueName: "scope.name")
    )
    var collection: String?

    func validate() throws {
        if let collection { _ = try CollectionName(collection) }
    }

    /// Returns the name that was given, or that of the default collection.
    func name() throws -> CollectionName { try CollectionName(collection ?? Database.defaultCollectionName) }

    /// Returns whether the collection exists.
    func exists(in database: Database) throws -> Bool { try collection == nil || name().find(in: database, creating: false) != nil }

    /// Returns the collection of `database`.
    ///
    /// - Parameter creating: Whether to create the collection if it does not exist.
    /// - Throws: ``Failure`` if it does not exist and `creating` is false.
    func open(in database: Database, creating: Bool = false) throws -> DocumentCollection {
        guard let collection = collection ?? ShellContext.current?.collection else { return try database.defaultCollection() }
        return try CollectionName(collection).open(in: database, creating: creating)
    }
}

/// The option for machine-readable output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print machine-readable JSON.")
    var json = false

    /// Prints one line: the text or, with `--json`, an object with the members.
    func print(_ text: TerminalText, _ members: JSONMembers) throws { try print(text) { $0.members(members) } }

    /// Prints a text from outside. Disfavored, so that a literal is a `TerminalText`.
    @_disfavoredOverload func print(_ text: String, _ members: JSONMembers) throws { try print(TerminalText(text), members) }

    /// Prints a text from outside.
    @_disfavoredOverload func print(_ text: String, json write: (inout JSONWriter) -> Void) throws {
        try print(TerminalText(text), json: write)
    }

    /// Prints one line: the text or, with `--json`, an object with the members that `write` writes.
    func print(_ text: TerminalText, json write: (inout JSONWriter) -> Void) throws {
        let output = Output()
        if json { try output.line(json: JSONWriter.object(write).string) } else { try output.line(text) }
        try output.flush()
    }
}

/// The database of the shell. Commands that run in the shell use it without naming it or asking for its key again.
struct ShellContext: Sendable {
    /// `nil` outside of the shell.
    @TaskLocal static var current: ShellContext?

    let path: String
    let key: EncryptionKey?
    /// The collection that commands use if they name none; `nil` for the default collection.
    var collection: String?
}

/// The second database of a command that compares or merges two.
struct OtherDatabase: ParsableArguments {
    @Argument(help: "The directory of the other database.", completion: .directory) var other: String

    @Option(help: ArgumentHelp("The key of the other database, if it is encrypted.", valueName: "file"), completion: .file())
    var otherKeyFile: String?

    @Option(help: ArgumentHelp("The password of the other database: the first line of a file.", valueName: "file"), completion: .file())
    var otherPasswordFile: String?

    func validate() throws {
        guard otherKeyFile == nil || otherPasswordFile == nil else {
            throw ValidationError("Give one of --other-key-file and --other-password-file.")
        }
    }

    /// Returns the options for opening the database.
    ///
    /// - Parameter first: Those of the first database. Its key is used if the other database is encrypted and none is given for it.
    func opening(like first: Opening) throws -> Opening {
        let path = DatabasePath.existing(other)
        let given = try KeyOptions.key(keyFile: otherKeyFile, passwordFile: otherPasswordFile)
        let opening = Opening(path: path, busyTimeout: first.busyTimeout, key: given)
        guard given == nil, first.key != nil, try opening.isEncrypted() else { return opening }
        return Opening(path: path, busyTimeout: first.busyTimeout, key: first.key)
    }
}
