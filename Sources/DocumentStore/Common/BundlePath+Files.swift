import Foundation

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
