#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes an empty file at `path` that its owner alone can read and write, unless something is there already.
///
/// SQLite would let everybody read a file that it makes; its log and lock files get the permissions of the database file. Whatever keeps
/// the file from being made is passed over: SQLite meets it again and reports it.
func makePrivateFile(_ path: String) {
    guard access(path, F_OK) != 0 else { return }
    // Made aside and closed before it gets its name: closing a file ends all locks that the process has on it, and another thread may
    // open the file as soon as it is there.
    let unfinished = path + ".new-\(UInt64.random(in: 0 ... .max))"
    let file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    close(file)
    _ = link(unfinished, path)
    unlink(unfinished)
}
