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
        let written = isReplaced ? target + ".unfinished-\(UInt32.random(in: 0 ... .max))" : path
        let descriptor =
            isStandardOutput ? dup(STDOUT_FILENO) : open(written, O_WRONLY | O_CLOEXEC | (isReplaced ? O_CREAT | O_EXCL : 0), 0o644)
        guard descriptor >= 0 else { throw Failure.system("create", written) }
        defer { close(descriptor) }
        do {
            let result = try body(Output(descriptor: descriptor))
            guard !isReplaced || rename(written, target) == 0 else { throw Failure.system("create", path) }
            return result
        } catch {
            if isReplaced { unlink(written) }
            throw error
        }
    }

    /// Returns the path of a file that exists, without symbolic links.
    private static func resolved(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw Failure.system("create", path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
