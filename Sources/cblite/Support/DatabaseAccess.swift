import ArgumentParser
import DocumentStore
import Foundation
import QueryEngine

/// The argument that names a database, and how long to wait for it.
struct DatabaseArgument: ParsableArguments {
    @Argument(help: "The directory of the database; the extension .cblite2 may be left out.", completion: .directory)
    var database: String

    @Option(help: ArgumentHelp("How long to wait for a lock of another process.", valueName: "seconds"))
    var busyTimeout: Double = 10

    @OptionGroup var key: KeyOptions

    func validate() throws {
        guard busyTimeout >= 0, busyTimeout <= 86_400 else {
            throw ValidationError("--busy-timeout is a number of seconds from 0 to 86400.")
        }
    }

    /// The path of the directory that is meant.
    var path: String { DatabasePath.existing(database) }

    /// Opens the database for reading only, runs `body`, and closes it. Files of old releases stay as they are.
    ///
    /// - Parameter isBounded: Whether reading ends with an error when it takes more steps than the size of the files explains, as in one
    ///   that was made so that it never ends.
    func reading<Result>(isBounded: Bool = false, _ body: (DatabaseFile) throws -> Result) throws -> Result {
        var options = try options()
        if isBounded { options.maximumSteps = Self.steps(forReading: path) }
        options.isReadOnly = true
        options.createsIfMissing = false
        return try Self.using(path, options, body)
    }

    /// Opens the database for writing, which upgrades files of old releases, runs `body`, and closes it.
    ///
    /// - Parameter creating: Makes a database when there is none.
    func writing<Result>(creating: Bool = false, _ body: (DatabaseFile) throws -> Result) throws -> Result {
        var options = try options()
        options.createsIfMissing = creating
        return try Self.using(creating ? DatabasePath.new(database) : path, options, body)
    }

    /// How databases are opened, apart from the mode.
    func options() throws -> DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.busyTimeout = .milliseconds(Int64(busyTimeout * 1000))
        options.key = try key.secret()
        return options
    }

    /// A row has at least some twenty bytes and takes about ten steps.
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

/// Finds the directory that is meant by what somebody typed.
enum DatabasePath {
    /// The path as it is, or with the extension if only that exists.
    static func existing(_ typed: String) -> String {
        let path = withoutSlashes(typed)
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let extended = path + "." + BundlePath.fileExtension
        return FileManager.default.fileExists(atPath: extended) ? extended : path
    }

    /// Where a database is made: what exists is taken as it is; a new one gets the extension.
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

/// The option that names a collection.
struct CollectionOption: ParsableArguments {
    @Option(name: [.customShort("c"), .long], help: ArgumentHelp("The collection, by default the default one.", valueName: "scope.name"))
    var collection: String?

    func validate() throws {
        _ = try id
    }

    /// The collection that is meant. A name without a scope is one in the default scope.
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

    /// The collection in `file`.
    ///
    /// - Throws: ``Failure`` when there is none.
    func store(in file: DatabaseFile) throws -> CollectionStore {
        let id = try id
        if let found = try file.collection(id) { return found }
        let names = try file.collectionIDs().map(\.fullName).joined(separator: ", ")
        throw Failure(.notFound, "there is no collection \(id.fullName)", hint: "The database has: \(names)")
    }
}

/// The option that makes output readable by programs.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for programs.")
    var json = false
}
