import Foundation
import SQLiteEngine

extension OpenedFile {
    /// Finds, checks and, for writing, upgrades the bundle.
    ///
    /// - Throws: The reason why it cannot be opened.
    init(_ bundle: BundlePath, _ options: DatabaseFile.Options) throws {
        self.bundle = bundle
        logFileCleanup = options.isReadOnly ? LogFileCleanup(before: bundle) : nil
        if !options.isReadOnly { BundleReplacement.recover(bundle) }
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
                    connection.closeLoggingErrors()
                    throw error
                }
                writer = context
                encryption = connection.encryption
                isImmutable = false
            }
        } catch {
            logFileCleanup?.remove()
            guard let error = error as? SQLiteError else { throw error }
            throw Self.storeError(error, bundle, forWriting: !options.isReadOnly) ?? error
        }
    }

    /// Opens a connection for writing to a bundle with a format since 2.0. A bundle of 1.x is migrated first.
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
                connection.closeLoggingErrors()
                throw error
            }
        }
    }

    /// Opens a connection and reads from the file, which prevents others from replacing or deleting it. The connection is prepared for any
    /// schema.
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
                // Since the header was read, the file may have been replaced by one with another key.
                if error.isNotADatabase { continue }
                throw error
            }
            do {
                // The settings of a connection read the file, depending on the version of SQLite.
                let context = try ConnectionContext(preparing: connection, options)
                _ = try connection.scalar("PRAGMA user_version")
                if !connection.hasMoved { return context }
            } catch {
                defer { connection.closeLoggingErrors() }
                if let error = error as? SQLiteError, error.isNotADatabase { throw try unreadable(connection, bundle) }
                if !connection.hasMoved { throw error }
            }
            // Between opening and reading, another process has replaced the bundle by a new one.
            try connection.close()
        }
        throw StoreError.locked(path: bundle.directory)
    }

    /// The maximum number of attempts to open a file that is replaced by other processes during opening. More in a row are not a
    /// coincidence.
    private static let maximumAttempts = 100

    // MARK: Creating

    /// Creates a database if there is none and the options require it.
    ///
    /// - Returns: Whether it was created.
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
            try checkHasNoLog(bundle)
            do {
                return try NewDatabase(bundle, key: options.key, hasVectors: options.versioning.isVectorsInNewFiles).make()
            } catch let error as EncryptionError {
                throw StoreError.unreadableEncryption(path: bundle.directory, reason: error.description)
            }
        }
    }

    /// Checks that there is no log of a database file that is missing: SQLite would write the changes in it into the new file.
    ///
    /// - Throws: `wrongFormat` with the name of the log.
    private static func checkHasNoLog(_ bundle: BundlePath) throws(StoreError) {
        let logs = [bundle.writeAheadLog, bundle.encryptedLog, bundle.journal]
        // Another process may have created the database since.
        guard let log = logs.first(where: { BundlePath.size(of: $0) > 0 }), !bundle.holdsDatabase else { return }
        let name = URL(fileURLWithPath: log).lastPathComponent
        throw .wrongFormat(
            path: bundle.directory,
            reason: """
                it contains changes (\(name)), but not the file db.sqlite3 to which they belong. Put that file back, or delete the database
                """
        )
    }

    // MARK: Recognizing

    private static func openForReading(
        _ bundle: BundlePath,
        _ options: DatabaseFile.Options
    ) throws -> (FileVersion, EncryptedFileSystem?, isImmutable: Bool) {
        do {
            let (version, encryption) = try readVersion(bundle, options, isImmutable: false)
            return (version, encryption, false)
        } catch let error as SQLiteError where error.isCantOpen || error.isReadOnly {
            // On a read-only medium SQLite cannot create its lock file. But a log that has not been checkpointed must not be ignored.
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
        defer { connection.closeLoggingErrors() }
        return try recognising(connection, bundle) {
            let version = FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0))
            if version == .none { throw StoreError.wrongFormat(path: bundle.directory, reason: "it has no tables") }
            try check(version, bundle)
            try options.versioning.check(hasVectors: try versioning(connection, bundle) == InfoStore.versionVectors, bundle)
            return (version, connection.encryption)
        }
    }

    /// The maximum number of virtual machine steps for recognizing a file. A valid file needs some hundreds.
    private static let recognisingSteps = 20_000_000

    /// Runs `body`, which recognizes a file, and interrupts it if a hostile file makes it endless.
    private static func recognising<Result>(_ connection: Connection, _ bundle: BundlePath, _ body: () throws -> Result) throws -> Result {
        do {
            return try connection.withStepLimit(recognisingSteps, body)
        } catch let error as SQLiteError where error.isInterrupted {
            throw StoreError.wrongFormat(path: bundle.directory, reason: "reading its schema takes too long")
        }
    }

    private static func bringUpToDate(
        _ connection: Connection,
        _ bundle: BundlePath,
        _ options: DatabaseFile.Options
    ) throws -> (version: FileVersion, removedTriggers: [String]) {
        // In one read snapshot, because another process may be creating the file.
        let (version, isEmpty) = try connection.transaction(.deferred) {
            (
                FileVersion(Int(try connection.scalar("PRAGMA user_version") ?? 0)),
                try connection.scalar("SELECT count(*) FROM sqlite_master") == 0
            )
        }
        if version == .none {
            guard isEmpty else { throw StoreError.wrongFormat(path: bundle.directory, reason: "it has tables of another program") }
            try create(connection, options)
            // Another process may have created it.
            try options.versioning.check(hasVectors: try versioning(connection, bundle) == InfoStore.versionVectors, bundle)
            return (version, [])
        }
        try check(version, bundle)
        let found = try recognising(connection, bundle) { try versioning(connection, bundle) }
        try options.versioning.check(hasVectors: found == InfoStore.versionVectors, bundle)
        // Before any other write, which could fire the triggers.
        let removedTriggers = try ForeignSchema.removeTriggers(on: connection, of: bundle)
        if version < .current { try Schema.upgrade(connection) }
        try Schema.complete(connection)
        try RestorationMark.apply(bundle, connection)
        return (version, removedTriggers)
    }

    /// Creates the tables. Retries until the busy timeout, because SQLite does not wait if two connections change the journal mode
    /// concurrently.
    private static func create(_ connection: Connection, _ options: DatabaseFile.Options) throws {
        let end = ContinuousClock.now + options.busyTimeout
        while true {
            do {
                let (publicUUID, privateUUID) = (InfoStore.makeUUID(), InfoStore.makeUUID())
                let hasVectors = options.versioning.isVectorsInNewFiles
                return try Schema.create(on: connection, publicUUID: publicUUID, privateUUID: privateUUID, hasVectors: hasVectors)
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
            throw .cannotUpgrade(path: path, version: version.number, reason: "no known release writes this version")
        }
        if version > .lastSupported { throw .tooNew(path: path, version: version.number) }
    }

    /// Returns the value of the row `versioning`, which must exist (Storage format 2.6).
    private static func versioning(_ connection: Connection, _ bundle: BundlePath) throws -> UInt64 {
        try ForeignSchema(connection).checkTables(of: bundle)
        guard try connection.contains("table", named: "kv_info"),
            let versioning = try InfoStore.integer(InfoStore.versioning, on: connection)
        else {
            throw StoreError.wrongFormat(path: bundle.directory, reason: "the row \"versioning\" in kv_info is missing")
        }
        return versioning
    }

    /// Writes a page with its current content. While the log is empty, every read transaction asks the file system for the size of the
    /// file, which takes a fifteenth of the time of a lookup by key. Nothing depends on it, so it does not wait for locks, and errors are
    /// ignored.
    private static func primeLog(_ connection: Connection, _ version: FileVersion, _ options: DatabaseFile.Options) {
        connection.busyTimeout = .zero
        try? connection.execute("PRAGMA user_version=\(version.number)")
        connection.busyTimeout = options.busyTimeout
    }

    // MARK: Errors

    /// Returns the error of opening a file that corresponds to an error of SQLite, or `nil` if there is none.
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
