import Foundation

/// Writes files that are either complete or not there.
enum OutputFile {
    /// Calls `body` with the output to a file. Only if `body` succeeds, the file replaces an existing one. A device, a named pipe and the file
    /// that is the standard output of this process are written to in place.
    static func writing<Result>(to path: String, _ body: (Output) throws -> Result) throws -> Result {
        let status = FileStatus(path)
        let isStandardOutput = status.flatMap { FileStatus(descriptor: STDOUT_FILENO)?.isSameFile(as: $0) } ?? false
        let isReplaced = status.map { $0.isRegular && !isStandardOutput } ?? true
        // A symbolic link keeps pointing to the file.
        let target = status != nil && isReplaced ? try resolved(path) : path
        guard isReplaced else {
            let descriptor = isStandardOutput ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Failure.system("create", path) }
            defer { close(descriptor) }
            return try body(Output(descriptor: descriptor))
        }
        removeAbandoned(target)
        let (written, descriptor) = try create(for: target)
        defer { close(descriptor) }
        do {
            let result = try body(Output(descriptor: descriptor))
            guard rename(written, target) == 0 else { throw Failure.system("create", path) }
            return result
        } catch {
            unlink(written)
            throw error
        }
    }

    /// What follows the name of a file in that of the file which is to replace it, before a number.
    private static let unfinished = ".unfinished-"

    /// Creates the file that is to replace another one, and locks it; the lock ends with this process.
    private static func create(for target: String) throws -> (path: String, descriptor: Int32) {
        while true {
            let path = target + unfinished + String(UInt32.random(in: 0 ... .max))
            let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0o644)
            guard descriptor >= 0 else { throw Failure.system("create", path) }
            // Another process may have taken it for an abandoned file before it was locked. File systems without locks have no such files.
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
            if isLocked, let status = FileStatus(path), FileStatus(descriptor: descriptor)?.isSameFile(as: status) == true {
                return (path, descriptor)
            }
            close(descriptor)
        }
    }

    /// Removes what processes that were killed have left beside a file: nobody has it locked.
    private static func removeAbandoned(_ path: String) {
        let file = URL(fileURLWithPath: path)
        let directory = file.deletingLastPathComponent().path
        // Without the right to list the directory, nothing is removed.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let prefix = file.lastPathComponent + unfinished
        for name in names where name.utf8.starts(with: prefix.utf8) {
            guard UInt32(String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)) != nil else { continue }
            let descriptor = open(directory + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(directory + "/" + name) }
            close(descriptor)
        }
    }

    /// Returns the path of a file that exists, without symbolic links.
    private static func resolved(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw Failure.system("create", path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
