import CLibrary

/// Creates an empty file at `path` that only its owner can read and write, unless the path exists.
///
/// SQLite would create a database file that everybody can read; its log and lock files get the permissions of the database file. Errors are
/// ignored here, because SQLite encounters and reports them again.
func makePrivateFile(_ path: String) {
    guard access(path, F_OK) != 0 else { return }
    // The file is created under a temporary name and closed before it gets its final name: closing a file releases all locks that the
    // process has on it, and another thread may open the file as soon as it exists.
    let unfinished = path + ".new-\(UInt64.random(in: 0 ... .max))"
    let file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    close(file)
    _ = link(unfinished, path)
    unlink(unfinished)
}
