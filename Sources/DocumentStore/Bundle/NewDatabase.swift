import Foundation
import SQLiteEngine

/// Makes a database that is there as a whole, with its tables, or not at all, whatever ends the process
/// (`Documentation/bundle-files.md`).
///
/// The file is made beside its place in the bundle, under a random name, and gets the name of the database when it is complete and on the
/// medium. When two processes do so at once, the first one's is the database.
struct NewDatabase {
    private static let mark = ".new-"

    private let bundle: BundlePath
    private let key: EncryptionSecret?

    init(_ bundle: BundlePath, key: EncryptionSecret?) {
        self.bundle = bundle
        self.key = key
    }

    /// Makes the directory, as far as it is missing, and the database in it.
    ///
    /// - Parameter willName: Called when the file is complete, before it gets its name. For tests.
    /// - Returns: False when somebody else has been faster; then his database is there.
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
            // Somebody who found his own database in place may have tidied up here.
            if bundle.holdsDatabase { return false }
            throw error
        }
        for directory in [bundle.directory] + parents {
            // A directory that may not be read cannot be synchronised.
            guard synchronize(directory) || errno == EACCES else { throw StoreError.current(bundle) }
        }
        return true
    }

    /// The directory of the bundle and those above it that do not exist yet.
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
            // Nobody sees the file before it is on the medium as a whole.
            try connection.execute("PRAGMA synchronous=off")
            if encryption != nil { try connection.execute("PRAGMA temp_store=memory") }
            try Schema.create(on: connection, publicUUID: InfoStore.makeUUID(), privateUUID: InfoStore.makeUUID())
            // The log does not come along. Closing says nothing when it cannot be copied into the file.
            guard try !connection.checkpoint(.truncate).isIncomplete else { throw StoreError.locked(path: bundle.directory) }
            try connection.close()
        } catch {
            try? connection.close()
            throw error
        }
        guard synchronize(path) else { throw StoreError.current(bundle) }
    }

    /// Gives the file the name of the database; false when there is one already.
    private func name(_ unfinished: String) throws -> Bool {
        if link(unfinished, bundle.sqliteFile) == 0 { return true }
        switch errno {
        case EEXIST: return false
        case EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK:
            // The file system knows no files with two names.
            guard !bundle.holdsDatabase else { return false }
            guard rename(unfinished, bundle.sqliteFile) == 0 else { throw StoreError.current(bundle) }
            return true
        default: throw StoreError.current(bundle)
        }
    }

    // MARK: Left-overs

    /// Removes what processes have left that died while they made a database. One that is still at it finds the database in its place.
    static func removeLeftOvers(of bundle: BundlePath) {
        let prefix = URL(fileURLWithPath: bundle.sqliteFile).lastPathComponent + mark
        let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle.directory)) ?? []
        for name in names where name.hasPrefix(prefix) { unlink(bundle.directory + "/" + name) }
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-journal", "-wal", "-shm", LogName.suffix] { unlink(path + suffix) }
    }
}
