import Foundation

/// A program that runs in the foreground of the terminal, such as an editor or a pager. (`Process` of Foundation makes each child a process
/// group of its own, which the terminal stops as soon as it reads.)
struct ChildProgram {
    private let process: pid_t

    /// Starts a command line with the shell.
    ///
    /// - Parameters:
    ///   - line: The command line, as in the environment variables `EDITOR` and `PAGER`.
    ///   - arguments: Arguments to add to the line, which the shell does not interpret.
    ///   - input: The descriptor that becomes the standard input; `nil` for that of this process.
    ///   - environment: Variables to set if they are not set.
    /// - Throws: ``Failure`` if the shell cannot be started.
    init(_ line: String, _ arguments: [String] = [], input: Int32? = nil, environment: [String: String] = [:]) throws {
        #if canImport(Darwin)
        var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
        #else
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        // This process ignores some signals, which the child would inherit.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let words = ["/bin/sh", "-c", line + #" "$@""#, "sh"] + arguments
        let variables = ProcessInfo.processInfo.environment.merging(environment) { old, _ in old }.map { "\($0)=\($1)" }
        var child = pid_t()
        let code = Self.withPointers(words) { words in
            Self.withPointers(variables) { posix_spawn(&child, "/bin/sh", &actions, &attributes, words, $0) }
        }
        guard code == 0 else { throw Failure(.inputOutput, "cannot start \(line): \(String(cString: strerror(code)))") }
        process = child
    }

    /// Waits for the end of the program, and returns its exit code, or 128 and the number of the signal that ended it.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return -1 }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
    }

    private static func withPointers<Result>(_ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result) -> Result {
        let pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
