import Foundation
import Synchronization

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

    private struct State {
        var entries: [Key: Entry] = [:]
    }

    // Held while a file is opened or closed, so that two threads cannot create or delete the same one at once.
    private static let state = Mutex(State())

    /// Opens the database at `path`, or joins those who have it open. Each call must be matched by ``close(_:)``.
    ///
    /// - Throws: ``StoreError`` that says what is wrong with the path or the file; SQLite's own error where that says more.
    package static func open(_ path: String, options: DatabaseFile.Options = .init()) throws -> DatabaseFile {
        let bundle = BundlePath(path).canonical
        let key = Key(path: bundle, isReadOnly: options.isReadOnly)
        return try state.withLock { state in
            if var entry = state.entries[key] {
                entry.users += 1
                state.entries[key] = entry
                return entry.file
            }
            let file = try DatabaseFile(opened: OpenedFile(bundle, options), options: options)
            state.entries[key] = Entry(file: file, users: 1)
            return file
        }
    }

    /// Gives up one use of a file; the last one closes it.
    package static func close(_ file: DatabaseFile) throws {
        let key = Key(path: file.bundle, isReadOnly: file.options.isReadOnly)
        try state.withLock { state in
            guard var entry = state.entries[key], entry.file === file else { return }
            entry.users -= 1
            if entry.users > 0 {
                state.entries[key] = entry
                return
            }
            state.entries[key] = nil
            try file.close()
        }
    }

    /// Removes the database at `path` with all its files.
    ///
    /// - Parameter user: Somebody's own use of the file, which does not count as open and ends with the deletion.
    /// - Returns: False when there was nothing to delete.
    /// - Throws: `inUse` when the file is open elsewhere in this process.
    @discardableResult
    package static func delete(_ path: String, closing user: DatabaseFile? = nil) throws -> Bool {
        let bundle = BundlePath(path).canonical
        return try state.withLock { state in
            for isReadOnly in [false, true] {
                guard let entry = state.entries[Key(path: bundle, isReadOnly: isReadOnly)] else { continue }
                guard entry.file === user, entry.users == 1 else { throw StoreError.inUse(path: bundle.directory) }
            }
            if let user {
                state.entries[Key(path: bundle, isReadOnly: user.options.isReadOnly)] = nil
                try user.close()
            }
            guard FileManager.default.fileExists(atPath: bundle.directory) else { return false }
            try FileManager.default.removeItem(atPath: bundle.directory)
            return true
        }
    }
}
