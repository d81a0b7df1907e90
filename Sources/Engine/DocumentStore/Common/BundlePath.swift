import Base
import Foundation
import SQLiteEngine

/// The paths of the files in a bundle (Storage format 2.1).
package struct BundlePath: Sendable, Hashable {
    /// The directory, without a trailing slash.
    package var directory: String { exactDirectory.string }
    /// Compared by bytes: on most file systems, names that are canonically equivalent are different names.
    private let exactDirectory: ExactString

    /// Creates the path of a bundle, from which slashes at the end are removed. The bundle need not exist.
    package init(_ directory: String) {
        var path = directory
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.unicodeScalars.removeLast() }
        exactDirectory = ExactString(path)
    }

    /// The extension of the directory of a database, without the dot.
    package static let fileExtension = "cblite2"

    /// The name of the database, without the extension.
    package var databaseName: String {
        let url = URL(fileURLWithPath: directory)
        return (url.pathExtension == Self.fileExtension ? url.deletingPathExtension() : url).lastPathComponent
    }

    /// The path of the SQLite file.
    package var sqliteFile: String { directory + "/db.sqlite3" }
    /// The path of the write-ahead log of a database that is not encrypted.
    package var writeAheadLog: String { sqliteFile + "-wal" }
    /// The write-ahead log of an encrypted database.
    package var encryptedLog: String { sqliteFile + LogName.suffix }
    /// The rollback journal, which SQLite uses only before a new file has a write-ahead log.
    package var journal: String { sqliteFile + "-journal" }
    /// The path of the directory of blobs, which exists if a blob was ever stored.
    package var attachments: String { directory + "/Attachments" }

    /// The size of the write-ahead log in bytes; 0 if it does not exist.
    var logSize: UInt64 { Self.size(of: writeAheadLog) + Self.size(of: encryptedLog) }

    /// Returns the size of a file in bytes, or 0 if it does not exist.
    static func size(of path: String) -> UInt64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
    }

    /// The path with symbolic links resolved. It is the same for all paths of a bundle, before and after the bundle is created.
    var canonical: BundlePath {
        // Links can be resolved only in existing directories, so missing components are appended afterwards.
        var existing = URL(fileURLWithPath: directory).standardizedFileURL
        var missing: [String] = []
        while existing.path != "/", !FileManager.default.fileExists(atPath: existing.path) {
            missing.insert(existing.lastPathComponent, at: 0)
            existing.deleteLastPathComponent()
        }
        let resolved = BundlePath(existing.resolvingSymlinksInPath().path)
        return missing.reduce(resolved) { BundlePath(($0.directory == "/" ? "" : $0.directory) + "/" + $1) }
    }

    /// The kind of entry at a path.
    enum Contents {
        case nothing, file, directoryWithoutDatabase, database
    }

    /// The kind of entry at the path of the bundle.
    var contents: Contents {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory) else { return .nothing }
        guard isDirectory.boolValue else { return .file }
        return FileManager.default.fileExists(atPath: sqliteFile) ? .database : .directoryWithoutDatabase
    }

    /// Whether the path is a directory, with or without a database.
    package var isDirectory: Bool {
        switch contents {
        case .database, .directoryWithoutDatabase: true
        case .nothing, .file: false
        }
    }

    /// Whether the bundle contains a database file. The content of the file is not checked.
    package var holdsDatabase: Bool {
        if case .database = contents { return true }
        return false
    }
}

extension BundlePath {
    /// The names of the files that SQLite opens.
    private static let sqliteFiles = [
        "db.sqlite3", "db.sqlite3-wal", "db.sqlite3-shm", "db.sqlite3-journal", "db.sqlite3-log",
    ]

    /// Checks that the files that SQLite is going to open are regular files. In a hostile bundle, a symbolic link would lead to a file of
    /// another owner, and a pipe would block SQLite forever. The path of the bundle itself may contain links, because the user has chosen
    /// it.
    ///
    /// - Throws: `wrongFormat` with the kind of the entry.
    func checkFiles() throws(StoreError) {
        for name in Self.sqliteFiles {
            var status = stat()
            guard lstat(directory + "/" + name, &status) == 0 else { continue }
            let what: String
            switch status.st_mode & S_IFMT {
            case S_IFREG: continue
            case S_IFLNK: what = "a symbolic link"
            case S_IFDIR: what = "a directory"
            default: what = "not a regular file"
            }
            throw .wrongFormat(path: directory, reason: "\(name) in it is \(what), and is not opened")
        }
    }
}

/// Creates a directory and its missing parents, accessible only by the user.
func makePrivateDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
}
