import Foundation
import SQLiteEngine

/// A bundle that has been found, recognised and, for writing, brought up to date; or the error that says why not.
struct OpenedFile {
    let bundle: BundlePath
    let versionFound: FileVersion
    let version: FileVersion
    /// The connection that writes; nil when opened for reading only.
    let writer: Connection?
    /// What the files are encrypted with; nil when they are not.
    let encryption: EncryptedFileSystem?
    /// Whether the medium lets nobody write, so that SQLite need not look for changes and cannot make its lock files.
    let isImmutable: Bool

    init(_ bundle: BundlePath, _ options: DatabaseFile.Options) throws {
        self.bundle = bundle
        BundleReplacement.recover(bundle)
        try Self.checkPath(bundle, options)
        do {
            if options.isReadOnly {
                (versionFound, encryption, isImmutable) = try Self.openForReading(bundle, options)
                version = versionFound
                writer = nil
            } else {
                BundleReplacement.removeLeftOvers(of: bundle)
                let (connection, versionReplaced) = try Self.connectForWriting(bundle, options)
                do {
                    try ConnectionSettings(options, connection.encryption).apply(to: connection)
                    versionFound = try versionReplaced ?? Self.bringUpToDate(connection, bundle, options)
                    version = FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0))
                    Self.primeLog(connection, version, options)
                } catch {
                    try? connection.close()
                    throw error
                }
                writer = connection
                encryption = connection.encryption
                isImmutable = false
            }
        } catch let error as SQLiteError {
            throw Self.storeError(error, bundle, forWriting: !options.isReadOnly) ?? error
        }
    }

    /// A connection to write with, to a bundle of a format since 2.0: one of 1.x has been replaced.
    private static func connectForWriting(
        _ bundle: BundlePath,
        _ options: DatabaseFile.Options
    ) throws -> (Connection, versionReplaced: FileVersion?) {
        var versionReplaced: FileVersion?
        while true {
            let connection = try connect(bundle, .create, options)
            do {
                let version = FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0))
                guard FileVersion.legacy.contains(version) else { return (connection, versionReplaced) }
                try LegacyMigration.run(connection, bundle, options)
                versionReplaced = version
                try connection.close()
            } catch {
                try? connection.close()
                throw error
            }
        }
    }

    /// A connection that has read from the file, and so keeps others from replacing or deleting it.
    private static func connect(
        _ bundle: BundlePath,
        _ mode: Connection.Mode,
        _ options: DatabaseFile.Options,
        isImmutable: Bool = false
    ) throws -> Connection {
        while true {
            let encryption = try Self.encryption(bundle, mode, options.key)
            let connection: Connection
            do {
                connection = try Connection(
                    path: bundle.sqliteFile,
                    mode: mode,
                    immutable: isImmutable,
                    namesFilesByURI: mode != .readOnly,
                    encryption: encryption
                )
            } catch {
                // Since the header was read the file may have been replaced by one with another key.
                if error.isNotADatabase { continue }
                throw error
            }
            connection.busyTimeout = options.busyTimeout
            do {
                _ = try connection.scalar("PRAGMA user_version")
                if !connection.hasMoved { return connection }
            } catch {
                defer { try? connection.close() }
                if error.isNotADatabase { throw try unreadable(connection, bundle) }
                if !connection.hasMoved { throw error }
            }
            // Between opening and reading another process has put a new bundle in the place of this one.
            try connection.close()
        }
    }

    // MARK: Finding

    private static func checkPath(_ bundle: BundlePath, _ options: DatabaseFile.Options) throws(StoreError) {
        switch bundle.contents {
        case .database: return
        case .file: throw .notADirectory(path: bundle.directory)
        case .nothing, .directoryWithoutDatabase:
            guard !LegacyBundle(bundle).isForest else {
                throw .cannotUpgrade(
                    path: bundle.directory,
                    version: nil,
                    reason: "Couchbase Lite 1.x has stored it with ForestDB, which is not supported"
                )
            }
            guard options.createsIfMissing, !options.isReadOnly else { throw .missing(path: bundle.directory) }
            do {
                try FileManager.default.createDirectory(atPath: bundle.attachments, withIntermediateDirectories: true)
            } catch {
                throw StoreError(error, path: bundle.directory)
            }
        }
    }

    // MARK: Recognising

    private static func openForReading(
        _ bundle: BundlePath,
        _ options: DatabaseFile.Options
    ) throws -> (FileVersion, EncryptedFileSystem?, isImmutable: Bool) {
        do {
            let (version, encryption) = try readVersion(bundle, options, isImmutable: false)
            return (version, encryption, false)
        } catch let error as SQLiteError where error.isCantOpen || error.isReadOnly {
            // On a medium that cannot be written SQLite has nowhere to put its lock file. A log that has not been
            // checkpointed must not be passed over, though.
            guard bundle.logSize == 0 else { throw StoreError.readOnlyMedium(path: bundle.directory) }
            let (version, encryption) = try readVersion(bundle, options, isImmutable: true)
            return (version, encryption, true)
        }
    }

    private static func readVersion(
        _ bundle: BundlePath,
        _ options: DatabaseFile.Options,
        isImmutable: Bool
    ) throws -> (FileVersion, EncryptedFileSystem?) {
        let connection = try connect(bundle, .readOnly, options, isImmutable: isImmutable)
        defer { try? connection.close() }
        let version = FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0))
        if version == .none { throw StoreError.wrongFormat(path: bundle.directory, reason: "it has no tables") }
        try check(version, bundle)
        try checkVersioning(connection, bundle)
        return (version, connection.encryption)
    }

    private static func bringUpToDate(
        _ connection: Connection,
        _ bundle: BundlePath,
        _ options: DatabaseFile.Options
    ) throws -> FileVersion {
        // In one view of the file: another process may be creating it.
        let (version, isEmpty) = try connection.transaction(.deferred) {
            (
                FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0)),
                try connection.scalar("SELECT count(*) FROM sqlite_master") == 0
            )
        }
        if version == .none {
            guard isEmpty else {
                throw StoreError.wrongFormat(path: bundle.directory, reason: "it has the tables of another program")
            }
            try create(connection, options)
            return version
        }
        try check(version, bundle)
        try checkVersioning(connection, bundle)
        if version < .current { try Schema.upgrade(connection) }
        try Schema.complete(connection)
        return version
    }

    /// Makes the tables. SQLite does not wait when two connections want to change the journal mode, so this does.
    private static func create(_ connection: Connection, _ options: DatabaseFile.Options) throws {
        let end = ContinuousClock.now + options.busyTimeout
        while true {
            do {
                let (publicUUID, privateUUID) = (InfoStore.makeUUID(), InfoStore.makeUUID())
                return try Schema.create(on: connection, publicUUID: publicUUID, privateUUID: privateUUID)
            } catch let error as SQLiteError where error.isBusy && ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
    }

    private static func check(_ version: FileVersion, _ bundle: BundlePath) throws(StoreError) {
        let path = bundle.directory
        if FileVersion.legacy.contains(version) || version < FileVersion.legacy.lowerBound {
            throw .tooOld(path: path, version: version.number)
        }
        if version < .firstSupported {
            throw .cannotUpgrade(path: path, version: version.number, reason: "no release is known to have written it")
        }
        if version > .lastSupported { throw .tooNew(path: path, version: version.number) }
    }

    /// The row `versioning` must exist; 2 would mean version vectors, whose records we cannot read (Storage format 2.6).
    private static func checkVersioning(_ connection: Connection, _ bundle: BundlePath) throws {
        guard try connection.scalar("SELECT 1 FROM sqlite_master WHERE name = 'kv_info'") != nil,
            let versioning = try InfoStore.integer(InfoStore.versioning, on: connection)
        else {
            throw StoreError.wrongFormat(path: bundle.directory, reason: "it does not say how revisions are stored")
        }
        if versioning == InfoStore.versionVectors {
            throw StoreError.wrongFormat(
                path: bundle.directory,
                reason: "its documents have version vectors, which are not supported"
            )
        }
    }

    /// Writes a page with what it holds already. While the log is empty, every read transaction asks the file system for the
    /// size of the file, a fifteenth of the cost of a point look-up. Nothing depends on it: it is given up rather than waited for.
    private static func primeLog(_ connection: Connection, _ version: FileVersion, _ options: DatabaseFile.Options) {
        connection.busyTimeout = .zero
        try? connection.execute("PRAGMA user_version=\(version.number)")
        connection.busyTimeout = options.busyTimeout
    }

    // MARK: Errors

    /// What an error of SQLite's means for somebody who opens a file.
    private static func storeError(_ error: SQLiteError, _ bundle: BundlePath, forWriting: Bool) -> StoreError? {
        let path = bundle.directory
        if error.isNotADatabase { return .notADatabase(path: path) }
        if error.isBusy { return .locked(path: path) }
        if error.isCorrupt { return .corrupt(path: path, reason: error.message) }
        if error.isReadOnly { return .readOnlyMedium(path: path) }
        if error.isCantOpen {
            let isWritable =
                FileManager.default.isWritableFile(atPath: path)
                && (!bundle.holdsDatabase || FileManager.default.isWritableFile(atPath: bundle.sqliteFile))
            return forWriting && !isWritable ? .readOnlyMedium(path: path) : nil
        }
        return nil
    }
}
