import Foundation
import SQLiteEngine

/// A bundle that has been found, recognised and, for writing, brought up to date; or the error that says why not.
struct OpenedFile {
    let bundle: BundlePath
    let versionFound: FileVersion
    let version: FileVersion
    /// The connection that writes; nil when opened for reading only.
    let writer: ConnectionContext?
    /// What the files are encrypted with; nil when they are not.
    let encryption: EncryptedFileSystem?
    /// Whether the medium lets nobody write, so that SQLite need not look for changes and cannot make its lock files.
    let isImmutable: Bool
    /// What those leave who only read; nil when opened for writing.
    let traces: LogFileCleanup?
    /// The names of triggers that were removed because the format does not know them.
    let removedTriggers: [String]

    init(_ bundle: BundlePath, _ options: DatabaseFile.Options) throws {
        self.bundle = bundle
        traces = options.isReadOnly ? LogFileCleanup(before: bundle) : nil
        if !options.isReadOnly { BundleReplacement.settle(bundle) }
        do {
            let isMade = try Self.make(bundle, options)
            if options.isReadOnly {
                (versionFound, encryption, isImmutable) = try Self.openForReading(bundle, options)
                version = versionFound
                writer = nil
                removedTriggers = []
            } else {
                let (context, versionReplaced) = try Self.connectForWriting(bundle, options)
                let connection = context.connection
                do {
                    try ConnectionSettings(options, connection.encryption).apply(to: connection)
                    let found = try Self.bringUpToDate(connection, bundle, options)
                    versionFound = isMade ? .none : versionReplaced ?? found.version
                    removedTriggers = found.removedTriggers
                    version = FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0))
                    Self.primeLog(connection, version, options)
                } catch {
                    try? connection.close()
                    throw error
                }
                writer = context
                encryption = connection.encryption
                isImmutable = false
            }
        } catch {
            traces?.remove()
            guard let error = error as? SQLiteError else { throw error }
            throw Self.storeError(error, bundle, forWriting: !options.isReadOnly) ?? error
        }
    }

    /// A connection to write with, to a bundle of a format since 2.0: one of 1.x has been replaced.
    private static func connectForWriting(
        _ bundle: BundlePath,
        _ options: DatabaseFile.Options
    ) throws -> (ConnectionContext, versionReplaced: FileVersion?) {
        var versionReplaced: FileVersion?
        while true {
            let context = try connect(bundle, .readWrite, options)
            let connection = context.connection
            do {
                let version = FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0))
                guard FileVersion.legacy.contains(version) else { return (context, versionReplaced) }
                try LegacyMigration.run(connection, bundle, options)
                versionReplaced = version
                try connection.close()
            } catch {
                try? connection.close()
                throw error
            }
        }
    }

    /// A connection that has read from the file, and so keeps others from replacing or deleting it. It is ready for any schema.
    private static func connect(
        _ bundle: BundlePath,
        _ mode: Connection.Mode,
        _ options: DatabaseFile.Options,
        isImmutable: Bool = false
    ) throws -> ConnectionContext {
        for _ in 0..<maximumAttempts {
            let encryption = try Self.encryption(bundle, options.key)
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
            let context = try ConnectionContext(preparing: connection, options)
            do {
                _ = try connection.scalar("PRAGMA user_version")
                if !connection.hasMoved { return context }
            } catch {
                defer { try? connection.close() }
                if error.isNotADatabase { throw try unreadable(connection, bundle) }
                if !connection.hasMoved { throw error }
            }
            // Between opening and reading another process has put a new bundle in the place of this one.
            try connection.close()
        }
        throw StoreError.locked(path: bundle.directory)
    }

    /// How often opening begins anew because another process has replaced the file meanwhile. More in a row is no coincidence.
    private static let maximumAttempts = 100

    // MARK: Finding

    /// Makes a database when there is none, if that is wanted.
    ///
    /// - Returns: Whether it was made.
    private static func make(_ bundle: BundlePath, _ options: DatabaseFile.Options) throws -> Bool {
        try bundle.checkFiles()
        switch bundle.contents {
        case .database:
            if !options.isReadOnly { NewDatabase.removeLeftOvers(of: bundle) }
            return false
        case .file: throw StoreError.notADirectory(path: bundle.directory)
        case .nothing, .directoryWithoutDatabase:
            guard !LegacyBundle(bundle).isForest else {
                throw StoreError.cannotUpgrade(
                    path: bundle.directory,
                    version: nil,
                    reason: "Couchbase Lite 1.x has stored it with ForestDB, which is not supported"
                )
            }
            guard options.createsIfMissing, !options.isReadOnly else { throw StoreError.missing(path: bundle.directory) }
            do {
                return try NewDatabase(bundle, key: options.key).make()
            } catch let error as EncryptionError {
                throw StoreError.unreadableEncryption(path: bundle.directory, reason: error.description)
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
        let connection = try connect(bundle, .readOnly, options, isImmutable: isImmutable).connection
        defer { try? connection.close() }
        return try recognising(connection, bundle) {
            let version = FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0))
            if version == .none { throw StoreError.wrongFormat(path: bundle.directory, reason: "it has no tables") }
            try check(version, bundle)
            try checkVersioning(connection, bundle)
            return (version, connection.encryption)
        }
    }

    /// How many steps it may take to find out what a file is. A file of the format takes some hundreds.
    private static let recognisingSteps = 20_000_000

    /// Runs `body`, which finds out what a file is, and ends it when a hostile file makes that endless.
    private static func recognising<Result>(_ connection: Connection, _ bundle: BundlePath, _ body: () throws -> Result) throws -> Result {
        do {
            return try connection.withStepLimit(recognisingSteps, body)
        } catch let error as SQLiteError where error.isInterrupted {
            throw StoreError.wrongFormat(path: bundle.directory, reason: "finding out what is in it does not end")
        }
    }

    private static func bringUpToDate(
        _ connection: Connection,
        _ bundle: BundlePath,
        _ options: DatabaseFile.Options
    ) throws -> (version: FileVersion, removedTriggers: [String]) {
        // In one view of the file: another process may be creating it.
        let (version, isEmpty) = try connection.transaction(.deferred) {
            (
                FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0)),
                try connection.scalar("SELECT count(*) FROM sqlite_master") == 0
            )
        }
        if version == .none {
            guard isEmpty else { throw StoreError.wrongFormat(path: bundle.directory, reason: "it has the tables of another program") }
            try create(connection, options)
            return (version, [])
        }
        try check(version, bundle)
        try recognising(connection, bundle) { try checkVersioning(connection, bundle) }
        // Before anything else is written: what is written may be what they wait for.
        let removedTriggers = try ForeignSchema.removeTriggers(on: connection, of: bundle)
        if version < .current { try Schema.upgrade(connection) }
        try Schema.complete(connection)
        return (version, removedTriggers)
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
        try ForeignSchema(connection).checkTables(of: bundle)
        guard try connection.scalar("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kv_info'") != nil,
            let versioning = try InfoStore.integer(InfoStore.versioning, on: connection)
        else {
            throw StoreError.wrongFormat(path: bundle.directory, reason: "it does not say how revisions are stored")
        }
        if versioning == InfoStore.versionVectors {
            throw StoreError.wrongFormat(path: bundle.directory, reason: "its documents have version vectors, which are not supported")
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
