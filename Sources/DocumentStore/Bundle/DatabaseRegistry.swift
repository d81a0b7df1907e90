import Foundation
package import SQLiteEngine

/// The files that are open in this process. Whoever opens a file that is open already shares it.
package enum DatabaseRegistry {
    private struct Key: Hashable {
        let path: BundlePath
        let isReadOnly: Bool
    }

    private struct Entry {
        let file: DatabaseFile
        var users: Int
    }

    /// `@unchecked Sendable`: everything but the lock is touched only while it is held.
    private final class State: @unchecked Sendable {
        let lock = ConditionLock()
        var entries: [Key: Entry] = [:]
        /// Bundles that a thread is opening, closing or deleting just now.
        var busy: Set<BundlePath> = []
    }

    private static let state = State()

    /// Opens the database at `path`, or joins those who have it open. Each call must be matched by ``close(_:)``.
    ///
    /// - Throws: ``StoreError`` that says what is wrong with the path or the file; SQLite's own error where that says more.
    package static func open(_ path: String, options: DatabaseFile.Options = .init()) throws -> DatabaseFile {
        let bundle = BundlePath(path).canonical
        let key = Key(path: bundle, isReadOnly: options.isReadOnly)
        var report: OpeningReport?
        let file = try withExclusiveUse(of: bundle) {
            if let entry = entry(key) {
                try entry.file.checkKey(options.key)
                if let file = joined(key) { return file }
            }
            report = OpeningReport(before: bundle)
            let file = try DatabaseFile(opened: OpenedFile(bundle, options), options: options)
            report?.indexes = file.renewOutdatedIndexes()
            state.lock.withLock { state.entries[key] = Entry(file: file, users: 1) }
            return file
        }
        report?.log(file)
        if report == nil, options.fullSync {
            // Without exclusive use: this waits for the transactions of others, which may want to open the bundle too.
            do {
                try file.requireFullSync()
            } catch {
                try? close(file)
                throw error
            }
        }
        return file
    }

    /// Gives up one use of a file; the last one closes it, waiting for those who read and write.
    ///
    /// - Throws: `inUse` when the calling thread itself is reading from the file or in a transaction; nothing has changed then.
    package static func close(_ file: DatabaseFile) throws {
        let key = Key(path: file.bundle, isReadOnly: file.options.isReadOnly)
        try withExclusiveUse(of: file.bundle) {
            guard let entry = entry(key), entry.file === file else { return }
            if entry.users == 1 { try file.close() }
            state.lock.withLock {
                state.entries[key] = entry.users == 1 ? nil : Entry(file: file, users: entry.users - 1)
            }
        }
    }

    /// Removes the database at `path` with all its files, as a whole.
    ///
    /// - Parameter user: Somebody's own use of the file, which does not count as open and ends with the deletion.
    /// - Returns: False when there was nothing to delete.
    /// - Throws: `inUse` when the file is open elsewhere, in this process or another; `notWritable` when `user` can only read;
    ///   `notADirectory` when there is something that is no database. Then nothing has changed.
    @discardableResult
    package static func delete(_ path: String, closing user: DatabaseFile? = nil) throws -> Bool {
        let bundle = BundlePath(path).canonical
        return try withExclusiveUse(of: bundle) {
            for isReadOnly in [false, true] {
                guard let entry = entry(Key(path: bundle, isReadOnly: isReadOnly)) else { continue }
                guard entry.file === user, entry.users == 1 else { throw StoreError.inUse(path: bundle.directory) }
            }
            guard let user, user.bundle == bundle else { return try deleteClosed(bundle) }
            try user.whileAlone { _ in try BundleReplacement.remove(bundle) }
            // What is left to close has no files any more.
            try? user.close()
            state.lock.withLock { state.entries[Key(path: bundle, isReadOnly: user.options.isReadOnly)] = nil }
            return true
        }
    }

    /// Removes a bundle that this process does not have open.
    private static func deleteClosed(_ bundle: BundlePath) throws -> Bool {
        BundleReplacement.settle(bundle)
        switch bundle.contents {
        case .nothing: return false
        case .file: throw StoreError.notADirectory(path: bundle.directory)
        case .directoryWithoutDatabase: try BundleReplacement.remove(bundle)
        case .database:
            do {
                let connection = try Connection(path: bundle.sqliteFile, mode: .readWrite)
                defer { try? connection.close() }
                connection.busyTimeout = .zero
                try connection.whileAlone { try BundleReplacement.remove(bundle) }
            } catch let error as SQLiteError {
                if error.isBusy { throw StoreError.inUse(path: bundle.directory) }
                // A file that cannot be locked because it cannot be written is written by nobody else either.
                guard error.isReadOnly || error.isCantOpen else { throw error }
                try BundleReplacement.remove(bundle)
            }
        }
        return true
    }

    /// Encrypts the file with another key, or for nil with none. Whoever uses it goes on doing so.
    ///
    /// - Throws: `inUse` when the file has another user, in this process or another; what ``DatabaseFile/changeKey(to:)`` throws.
    ///   Then nothing has changed.
    package static func changeKey(of file: DatabaseFile, to key: EncryptionSecret?) throws {
        // The writer's lock comes first, as it does when a database is closed.
        try file.whileNobodyWrites {
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

    private static func entry(_ key: Key) -> Entry? {
        state.lock.withLock { state.entries[key] }
    }

    private static func joined(_ key: Key) -> DatabaseFile? {
        state.lock.withLock {
            guard let entry = state.entries[key] else { return nil }
            state.entries[key] = Entry(file: entry.file, users: entry.users + 1)
            return entry.file
        }
    }

    /// Runs `body` while no other thread opens, closes or deletes the same bundle. Others can be meanwhile, so that waiting
    /// for the users of one holds up nobody else.
    private static func withExclusiveUse<Result>(of bundle: BundlePath, _ body: () throws -> Result) rethrows -> Result {
        state.lock.withLock {
            while state.busy.contains(bundle) { state.lock.wait() }
            state.busy.insert(bundle)
        }
        defer {
            state.lock.withLock {
                state.busy.remove(bundle)
                state.lock.wakeAll()
            }
        }
        return try body()
    }
}
