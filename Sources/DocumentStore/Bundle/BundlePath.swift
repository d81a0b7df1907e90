import ExactStrings
import Foundation
import SQLiteEngine

/// Where things are in a bundle (Storage format 2.1).
package struct BundlePath: Sendable, Hashable {
    /// The directory, without a trailing slash.
    package var directory: String { exactDirectory.string }
    /// To most file systems names that merely look the same are two.
    private let exactDirectory: ExactString

    package init(_ directory: String) {
        var path = directory
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        exactDirectory = ExactString(path)
    }

    package static let fileExtension = "cblite2"

    package var sqliteFile: String { directory + "/db.sqlite3" }
    package var writeAheadLog: String { sqliteFile + "-wal" }
    /// The log of an encrypted database.
    package var encryptedLog: String { sqliteFile + LogName.suffix }
    package var attachments: String { directory + "/Attachments" }

    /// How many bytes the log has; 0 when there is none.
    var logSize: UInt64 { Self.size(of: writeAheadLog) + Self.size(of: encryptedLog) }

    /// How many bytes a file has; 0 when there is none.
    static func size(of path: String) -> UInt64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
    }

    /// The path with symbolic links resolved: one file has one such path, before it is made as well as after.
    var canonical: BundlePath {
        // Links are resolved in what exists only, so what does not exist yet is set aside.
        var existing = URL(fileURLWithPath: directory).standardizedFileURL
        var missing: [String] = []
        while existing.path != "/", !FileManager.default.fileExists(atPath: existing.path) {
            missing.insert(existing.lastPathComponent, at: 0)
            existing.deleteLastPathComponent()
        }
        let resolved = BundlePath(existing.resolvingSymlinksInPath().path)
        return missing.reduce(resolved) { BundlePath(($0.directory == "/" ? "" : $0.directory) + "/" + $1) }
    }

    /// What is at the path.
    enum Contents {
        case nothing, file, directoryWithoutDatabase, database
    }

    var contents: Contents {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory) else { return .nothing }
        guard isDirectory.boolValue else { return .file }
        return FileManager.default.fileExists(atPath: sqliteFile) ? .database : .directoryWithoutDatabase
    }

    /// Whether there is a directory, with or without a database in it.
    package var isDirectory: Bool {
        switch contents {
        case .database, .directoryWithoutDatabase: true
        case .nothing, .file: false
        }
    }

    /// Whether a database seems to be there.
    package var holdsDatabase: Bool {
        if case .database = contents { return true }
        return false
    }
}
