import CouchbaseLiteSwift
import DocumentStore
import Foundation
import QueryEngine

typealias DocumentCollection = CouchbaseLiteSwift.Collection

extension DocumentCollection {
    /// The full name of the default collection of every database.
    static var defaultFullName: String { "\(Database.defaultScopeName).\(Database.defaultCollectionName)" }
}

/// Opens a database, with what the public API does not have: reading without upgrading the file, a time limit for locks, and directories
/// of any name.
struct Opening {
    enum Mode {
        case reading, writing, creating
    }

    let path: String
    let busyTimeout: Double
    let key: EncryptionKey?
    /// The size of the page cache of each connection, in KiB.
    var cacheSize = 10_240

    func database(_ mode: Mode) throws -> Database { try Database(path: path, options: options(mode)) }

    /// Opens the database, runs `body`, and closes the database.
    func using<Result>(_ mode: Mode, _ body: (Database) throws -> Result) throws -> Result {
        let database = try self.database(mode)
        do {
            let result = try body(database)
            try database.close()
            return result
        } catch {
            try? database.close()
            throw error
        }
    }

    /// Opens the file read-only below the public API, which cannot open a database without a default collection.
    ///
    /// - Parameter isBounded: Whether reading fails when it takes more SQLite steps than the size of the files explains, as in a
    ///   manipulated file in which reading would never end.
    func withFile<Result>(isBounded: Bool = false, _ body: (DatabaseFile) throws -> Result) throws -> Result {
        var options = self.options(.reading)
        if isBounded { options.maximumSteps = maximumSteps }
        let file = try DatabaseRegistry.open(path, options: options)
        do {
            let result = try body(file)
            try DatabaseRegistry.close(file)
            return result
        } catch {
            DatabaseRegistry.closeLoggingErrors(file)
            throw error
        }
    }

    /// Returns whether the database is encrypted.
    func isEncrypted() throws -> Bool {
        do {
            try Opening(path: path, busyTimeout: busyTimeout, key: nil).withFile { _ in }
            return false
        } catch StoreError.encrypted {
            return true
        }
    }

    /// Returns the release of the file if opening it for writing would upgrade it; otherwise `nil`.
    func olderRelease() throws -> String? {
        try withFile { $0.versionFound < .current ? $0.versionFound.introducedBy : nil }
    }

    /// Copies the database; the public function has no time limit for locks.
    func copy(to destination: String) throws {
        try DatabaseCopy.copy(BundlePath(path), to: BundlePath(destination), options: options(.writing))
    }

    var readingOptions: DatabaseFile.Options { options(.reading) }
    var writingOptions: DatabaseFile.Options { options(.writing) }

    private func options(_ mode: Mode) -> DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.busyTimeout = .milliseconds(Int64(busyTimeout * 1000))
        options.key = key?.secret
        // Mapped pages count as memory of the process, and most commands read each page once.
        options.usesMemoryMap = false
        options.maximumCacheSize = cacheSize
        options.isReadOnly = mode == .reading
        options.createsIfMissing = mode == .creating
        // A command ends when its transaction does.
        options.worksInBackground = false
        return options
    }

    /// The maximum number of SQLite steps for reading the database: a row has at least about 20 bytes and takes about 10 steps.
    private var maximumSteps: Int {
        let bundle = BundlePath(path)
        let size = [bundle.sqliteFile, bundle.writeAheadLog, bundle.encryptedLog]
            .compactMap { (try? FileManager.default.attributesOfItem(atPath: $0))?[.size] as? NSNumber }
            .reduce(UInt64(0)) { $0 &+ $1.uint64Value }
        return Int(clamping: min(size, UInt64(Int64.max) / 16) * 8 + 20_000_000)
    }
}

/// The files of a database; the public API shows only the path of their directory.
enum DatabaseFiles {
    static var fileExtension: String { BundlePath.fileExtension }

    static func exist(at path: String) -> Bool { BundlePath(path).holdsDatabase }

    /// Returns the size of all files of a database, in bytes.
    static func size(at path: String) -> Int { Int(clamping: BundleReplacement.sizeOfFiles(in: path)) }

    /// Returns how much has been written of a database that will replace the one at a path, in bytes.
    static func sizeOfReplacement(at path: String) -> Int { Int(clamping: BundleReplacement.sizeOfUnfinished(BundlePath(path))) }

    static func areLockedByAnotherProcess(at path: String) -> Bool { BundlePath(path).isLockedByAnotherProcess }
}
