import Foundation

extension BundlePath {
    /// The files that SQLite opens by their names.
    private static let sqliteFiles = [
        "db.sqlite3", "db.sqlite3-wal", "db.sqlite3-shm", "db.sqlite3-journal", "db.sqlite3-log",
    ]

    /// Sees to it that what SQLite is going to open are files of the bundle. A symbolic link, which a stranger may have put there, would
    /// lead to somebody else's file; a pipe would let SQLite wait for ever. The path to the bundle itself may have links: it is the
    /// user's own.
    ///
    /// - Throws: `wrongFormat`, which names what is in the place of a file.
    func checkFiles() throws(StoreError) {
        for name in Self.sqliteFiles {
            var status = stat()
            guard lstat(directory + "/" + name, &status) == 0 else { continue }
            let what: String
            switch status.st_mode & S_IFMT {
            case S_IFREG: continue
            case S_IFLNK: what = "a symbolic link"
            case S_IFDIR: what = "a directory"
            default: what = "no regular file"
            }
            throw .wrongFormat(path: directory, reason: "\(name) in it is \(what), which is not opened")
        }
    }
}

/// Makes a directory, and those above it that are missing, for the user alone.
func makePrivateDirectory(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
}
