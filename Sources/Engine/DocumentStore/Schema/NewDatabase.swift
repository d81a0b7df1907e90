import Foundation
import SQLiteEngine

/// Creates a database atomically: even after a crash, it either exists with its tables or does not exist (`Documentation/bundle-files.md`).
///
/// The file is created in the bundle under a random name, and gets its final name when it is complete and on the medium. If two processes
/// do this concurrently, the first one's file becomes the database.
struct NewDatabase {
    private static let mark = ".new-"

    private let bundle: BundlePath
    private let key: EncryptionSecret?
    private let hasVectors: Bool

    /// - Parameter hasVectors: Whether revisions get version vectors. The default is `false`.
    init(_ bundle: BundlePath, key: EncryptionSecret?, hasVectors: Bool = false) {
        (self.bundle, self.key, self.hasVectors) = (bundle, key, hasVectors)
    }

    /// Creates the missing directories, and the database.
    ///
    /// - Parameter willName: Called when the file is complete, before it gets its name. For tests.
    /// - Returns: `false` if another process has already created the database, which is used then.
    func make(willName: () throws -> Void = {}) throws -> Bool {
        let parents = missingDirectories.map { BundlePath($0).parent }
        do {
            try makePrivateDirectory(bundle.attachments)
        } catch {
            throw StoreError(error, path: bundle.directory)
        }
        let number = UInt64.random(in: 0 ... .max)
        let unfinished = bundle.sqliteFile + Self.mark + String(number, radix: 16)
        defer { Self.remove(unfinished) }
        do {
            try makeFile(unfinished)
            try willName()
            guard try name(unfinished) else { return false }
        } catch {
            // Another process that found its own database in place may have removed the unfinished file.
            if bundle.holdsDatabase { return false }
            throw error
        }
        for directory in [bundle.directory] + parents {
            // A directory without read permission cannot be flushed.
            guard synchronize(directory) || errno == EACCES else { throw StoreError.current(bundle) }
        }
        return true
    }

    /// The directory of the bundle and its parents that do not exist yet.
    private var missingDirectories: [String] {
        var missing: [String] = []
        var path = bundle
        while path.directory != "/", !FileManager.default.fileExists(atPath: path.directory) {
            missing.append(path.directory)
            path = BundlePath(path.parent)
        }
        return missing
    }

    private func makeFile(_ path: String) throws {
        let encryption = try key.map { try EncryptedFileSystem.create(at: path, with: $0) }
        let connection = try Connection(path: path, mode: .create, encryption: encryption)
        do {
            // The file is not used before it has been flushed completely.
            try connection.execute("PRAGMA synchronous=off")
            if encryption != nil { try connection.execute("PRAGMA temp_store=memory") }
            let (publicUUID, privateUUID) = (InfoStore.makeUUID(), InfoStore.makeUUID())
            try Schema.create(on: connection, publicUUID: publicUUID, privateUUID: privateUUID, hasVectors: hasVectors)
            // The log is not renamed, so it must be empty. Closing does not report an incomplete checkpoint.
            guard try connection.checkpoint() else { throw StoreError.locked(path: bundle.directory) }
            try connection.close()
        } catch {
            connection.closeLoggingErrors()
            throw error
        }
        guard synchronize(path) else { throw StoreError.current(bundle) }
    }

    /// Gives the file the name of the database. Returns `false` if there already is a database.
    private func name(_ unfinished: String) throws -> Bool {
        if link(unfinished, bundle.sqliteFile) == 0 { return true }
        switch errno {
        case EEXIST: return false
        case EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK:
            // The file system does not support hard links.
            guard !bundle.holdsDatabase else { return false }
            guard rename(unfinished, bundle.sqliteFile) == 0 else { throw StoreError.current(bundle) }
            return true
        default: throw StoreError.current(bundle)
        }
    }

    // MARK: Leftovers

    /// Removes the unfinished files of processes that ended while they created a database. If such a process is still running, it finds the
    /// existing database.
    static func removeLeftOvers(of bundle: BundlePath) {
        // Leftovers of a folder that cannot be listed only take space.
        let prefix = URL(fileURLWithPath: bundle.sqliteFile).lastPathComponent + mark
        let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle.directory)) ?? []
        for name in names where name.utf8.starts(with: prefix.utf8) { unlink(bundle.directory + "/" + name) }
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-journal", "-wal", "-shm", LogName.suffix] { unlink(path + suffix) }
    }
}
