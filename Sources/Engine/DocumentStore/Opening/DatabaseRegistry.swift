import Base
package import SQLiteEngine

/// The files that are open in this process. Opening a file that is already open returns the same object.
package enum DatabaseRegistry {
    private struct Key: Hashable {
        let path: BundlePath
        let isReadOnly: Bool
    }

    private struct Entry {
        let file: DatabaseFile
        var users: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// Bundles that are being opened, closed or deleted by a thread.
        var busy: Set<BundlePath> = []
    }

    private static let state = Monitor(State())

    /// Opens the database at `path`, or returns the open file. Each call must be matched by ``close(_:)``. Blocks while another thread
    /// opens, closes or deletes the same bundle.
    ///
    /// - Throws: ``StoreError`` if the path or the file is invalid, or the error of SQLite if it is more specific.
    package static func open(_ path: String, options: DatabaseFile.Options = .init()) throws -> DatabaseFile {
        let bundle = BundlePath(path).canonical
        let key = Key(path: bundle, isReadOnly: options.isReadOnly)
        let code = FreeDescriptors.prepareDispatch()
        guard code == 0 else { throw StoreError.system(path: bundle.directory, code: code) }
        var report: OpeningReport?
        let file = try withExclusiveUse(of: bundle) {
            if let entry = Self.entry(key) {
                try entry.file.checkKey(options.key)
                if options.versioning != .automatic { try options.versioning.check(hasVectors: entry.file.hasVersionVectors(), bundle) }
                if let file = joined(key) { return file }
            }
            report = OpeningReport(before: bundle)
            let file = try DatabaseFile(opened: OpenedFile(bundle, options), options: options)
            report?.indexes = file.renewOutdatedIndexes()
            state.withLock { $0.entries[key] = Entry(file: file, users: 1) }
            return file
        }
        report?.log(file)
        if report == nil, options.fullSync {
            // Outside of the exclusive use: this waits for transactions of other users, which may want to open the bundle too.
            do {
                try file.requireFullSync()
            } catch {
                closeLoggingErrors(file)
                throw error
            }
        }
        return file
    }

    /// Releases one use of a file like ``close(_:)``, where the caller has a result, or another error that counts more: an error is only
    /// logged.
    package static func closeLoggingErrors(_ file: DatabaseFile) {
        do {
            try close(file)
        } catch {
            EngineLog.log(.warning, .database, "the database at \(file.bundle.directory) was not closed properly: \(error)")
        }
    }

    /// Releases one use of a file. The last release closes the file, and waits for its readers and writers.
    ///
    /// - Throws: `inUse` if the calling thread is reading from the file or in a transaction; nothing has changed then. After an error of
    ///   SQLite the file is closed nevertheless.
    package static func close(_ file: DatabaseFile) throws {
        let key = Key(path: file.bundle, isReadOnly: file.options.isReadOnly)
        try withExclusiveUse(of: file.bundle) {
            guard let entry = Self.entry(key), entry.file === file else { return }
            guard entry.users == 1 else {
                state.withLock { $0.entries[key] = Entry(file: file, users: entry.users - 1) }
                return
            }
            // Also after an error of SQLite: the next user must not get a closed file.
            defer { if file.isClosed { state.withLock { $0.entries[key] = nil } } }
            try file.close()
        }
    }

    /// Removes the database at `path` with all its files, atomically.
    ///
    /// - Parameter user: The caller's own use of the file, which does not count as open and ends with the deletion.
    /// - Returns: `false` if there was nothing to delete.
    /// - Throws: `inUse` if the file is open elsewhere, in this process or another; `notWritable` if `user` is read-only; `notADirectory`
    ///   if the path is a file. After an error nothing has changed.
    @discardableResult
    package static func delete(_ path: String, closing user: DatabaseFile? = nil) throws -> Bool {
        let bundle = BundlePath(path).canonical
        return try withExclusiveUse(of: bundle) {
            for isReadOnly in [false, true] {
                guard let entry = Self.entry(Key(path: bundle, isReadOnly: isReadOnly)) else { continue }
                guard entry.file === user, entry.users == 1 else { throw StoreError.inUse(path: bundle.directory) }
            }
            guard let user, user.bundle == bundle else { return try deleteClosed(bundle) }
            try user.withExclusiveAccess { _ in try BundleReplacement.remove(bundle) }
            // The connections that remain to be closed have no files any more.
            try? user.close()
            state.withLock { $0.entries[Key(path: bundle, isReadOnly: user.options.isReadOnly)] = nil }
            return true
        }
    }

    /// Removes a bundle that is not open in this process.
    private static func deleteClosed(_ bundle: BundlePath) throws -> Bool {
        BundleReplacement.recover(bundle)
        switch bundle.contents {
        case .nothing: return false
        case .file: throw StoreError.notADirectory(path: bundle.directory)
        case .directoryWithoutDatabase: try BundleReplacement.remove(bundle)
        case .database:
            do {
                let connection = try Connection(path: bundle.sqliteFile, mode: .readWrite)
                defer { connection.closeLoggingErrors() }
                connection.busyTimeout = .zero
                try connection.withExclusiveAccess { try BundleReplacement.remove(bundle) }
            } catch let error as SQLiteError {
                if error.isBusy { throw StoreError.inUse(path: bundle.directory) }
                // A file that cannot be locked because it is read-only cannot be written by another process either.
                guard error.isReadOnly || error.isCantOpen else { throw error }
                try BundleReplacement.remove(bundle)
            }
        }
        return true
    }

    /// Runs `body`, which replaces the bundle at `path`, while it is not open.
    ///
    /// - Throws: `inUse` if it is open in this process or another.
    static func withClosedBundle<Result>(_ path: String, _ body: (BundlePath) throws -> Result) throws -> Result {
        let bundle = BundlePath(path).canonical
        return try withExclusiveUse(of: bundle) {
            let isOpen = [false, true].contains { entry(Key(path: bundle, isReadOnly: $0)) != nil }
            guard !isOpen, !bundle.isLockedByAnotherProcess else { throw StoreError.inUse(path: bundle.directory) }
            return try body(bundle)
        }
    }

    /// Changes the encryption key of a file, or removes the encryption if `key` is `nil`. The file stays open.
    ///
    /// - Throws: `inUse` if the file has another user, in this process or another; the errors of ``DatabaseFile/changeKey(to:)``. After an
    ///   error nothing has changed.
    package static func changeKey(of file: DatabaseFile, to key: EncryptionSecret?) throws {
        // The writer's lock is acquired first, in the same order as when a database is closed.
        try file.withWritersBlocked {
            try withExclusiveUse(of: file.bundle) {
                let entries = [false, true].compactMap { entry(Key(path: file.bundle, isReadOnly: $0)) }
                guard entries.contains(where: { $0.file === file }) else {
                    throw StoreError.notOpen(what: "the database at \(file.bundle.directory)")
                }
                guard entries.count == 1, entries[0].users == 1 else { throw StoreError.inUse(path: file.bundle.directory) }
                try file.changeKey(to: key)
            }
        }
    }

    private static func entry(_ key: Key) -> Entry? { state.withLock { $0.entries[key] } }

    private static func joined(_ key: Key) -> DatabaseFile? {
        state.withLock { state -> DatabaseFile? in
            guard let entry = state.entries[key] else { return nil }
            state.entries[key] = Entry(file: entry.file, users: entry.users + 1)
            return entry.file
        }
    }

    /// Runs `body` while no other thread opens, closes or deletes the same bundle. Other bundles are not blocked, so that waiting for the
    /// users of one bundle does not delay the others.
    private static func withExclusiveUse<Result>(of bundle: BundlePath, _ body: () throws -> Result) rethrows -> Result {
        state.withLock(waitingWhile: { $0.busy.contains(bundle) }) { _ = $0.busy.insert(bundle) }
        defer {
            state.withLock { _ = $0.busy.remove(bundle) }
            state.wakeAll()
        }
        return try body()
    }
}
