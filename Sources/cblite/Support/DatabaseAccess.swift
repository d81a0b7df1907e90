import ArgumentParser
import DocumentStore
import Foundation
import QueryEngine

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

    /// The path of the database directory, with the extension if only that exists.
    var path: String { DatabasePath.existing(database) }

    /// Opens the database read-only, runs `body`, and closes the database. Files of older releases are not upgraded.
    ///
    /// - Parameter isBounded: Whether reading fails when it takes more SQLite steps than the size of the files explains, as in a
    ///   manipulated file in which reading would never end.
    func reading<Result>(isBounded: Bool = false, _ body: (DatabaseFile) throws -> Result) throws -> Result {
        var options = try options()
        if isBounded { options.maximumSteps = Self.steps(forReading: path) }
        options.isReadOnly = true
        options.createsIfMissing = false
        return try Self.using(path, options, body)
    }

    /// Opens the database for writing, which upgrades files of older releases, runs `body`, and closes the database.
    ///
    /// - Parameter creating: Whether to create the database if it does not exist.
    func writing<Result>(creating: Bool = false, _ body: (DatabaseFile) throws -> Result) throws -> Result {
        var options = try options()
        options.createsIfMissing = creating
        return try Self.using(creating ? DatabasePath.new(database) : path, options, body)
    }

    /// Returns the options for opening the database, except for the mode.
    ///
    /// - Throws: ``Failure`` if the key or password cannot be read.
    func options() throws -> DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.busyTimeout = .milliseconds(Int64(busyTimeout * 1000))
        options.key = try key.secret()
        return options
    }

    /// Returns the maximum number of SQLite steps for reading a database: a row has at least about 20 bytes and takes about 10 steps.
    private static func steps(forReading path: String) -> Int {
        let size = [BundlePath(path).sqliteFile, BundlePath(path).writeAheadLog, BundlePath(path).encryptedLog]
            .compactMap { (try? FileManager.default.attributesOfItem(atPath: $0))?[.size] as? NSNumber }
            .reduce(UInt64(0)) { $0 &+ $1.uint64Value }
        return Int(clamping: min(size, UInt64(Int64.max) / 16) * 8 + 20_000_000)
    }

    private static func using<Result>(
        _ path: String,
        _ options: DatabaseFile.Options,
        _ body: (DatabaseFile) throws -> Result
    ) throws -> Result {
        let file = try DatabaseRegistry.open(path, options: options)
        let result: Result
        do {
            result = try body(file)
        } catch {
            try? DatabaseRegistry.close(file)
            throw error
        }
        try DatabaseRegistry.close(file)
        return result
    }
}

/// Resolves a database path given on the command line.
enum DatabasePath {
    /// Returns the path unchanged, or with the extension if only that exists.
    static func existing(_ typed: String) -> String {
        let path = withoutSlashes(typed)
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let extended = path + "." + BundlePath.fileExtension
        return FileManager.default.fileExists(atPath: extended) ? extended : path
    }

    /// Returns the path for a database that may have to be created: the existing path, otherwise the path with the extension.
    static func new(_ typed: String) -> String {
        let path = existing(typed)
        guard !FileManager.default.fileExists(atPath: path), !path.hasSuffix("." + BundlePath.fileExtension) else { return path }
        return path + "." + BundlePath.fileExtension
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
        _ = try id
    }

    /// The ID of the collection. A name without a scope is in the default scope.
    var id: CollectionID {
        get throws {
            guard let collection else { return .default }
            let parts = collection.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            do throws(StoreError) {
                switch parts.count {
                case 1: return try CollectionID(name: parts[0])
                case 2: return try CollectionID(name: parts[1], scope: parts[0])
                default: throw StoreError.invalidCollectionName(collection)
                }
            } catch {
                throw ValidationError(error.description)
            }
        }
    }

    /// Returns the collection in `file`.
    ///
    /// - Throws: ``Failure`` if it does not exist.
    func store(in file: DatabaseFile) throws -> CollectionStore {
        let id = try id
        if let found = try file.collection(id) { return found }
        let names = try file.collectionIDs().map(\.fullName).joined(separator: ", ")
        throw Failure(.notFound, "there is no collection \(id.fullName)", hint: "Collections of the database: \(names)")
    }
}

/// The option for machine-readable output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print machine-readable JSON.")
    var json = false
}
