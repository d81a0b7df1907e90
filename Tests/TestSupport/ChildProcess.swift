import CSpawn
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A child process of the tests that has yet to be waited for, with the ends of its output.
///
/// It is not Foundation's `Process`: that reads past the end of a buffer when many files are open
/// (https://github.com/swiftlang/swift-corelibs-foundation/pull/5472), and the tests open thousands.
struct ChildProcess {
    /// What to start.
    struct Command {
        var executable: String
        var arguments: [String]
        var environment: [String: String]
        /// The working directory, that of the tests when nil.
        var directory: String?
    }

    let identifier: pid_t
    let standardOutput: FileHandle
    let standardError: FileHandle

    /// Starts `command`, which reads `input` and then its end. It inherits no other file, no blocked and no ignored signal.
    ///
    /// - Throws: `POSIXError` when the system does not start it.
    init(_ command: Command, input: Data) throws {
        let input = try Self.readHandle(of: input)
        let (output, outputEnd) = try Self.openPipe()
        let (error, errorEnd) = try Self.openPipe()
        let streams = [input, outputEnd, errorEnd].map(\.fileDescriptor)
        identifier = try Self.spawn(command, streams: streams)
        // Only the child is to hold these: the readers see the end when it has ended.
        for handle in [input, outputEnd, errorEnd] { try handle.close() }
        standardOutput = output
        standardError = error
    }

    /// Blocks until the process has ended. Its identifier stays its own until ``release()``.
    func waitUntilEnded() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
    }

    /// Gives the identifier of the ended process back to the system, and says how it ended.
    func release() -> ProcessEnding {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// A handle that reads `input`. It is a file, already unlinked, and not a pipe: a process that ends without reading its input
    /// would otherwise send the tests a SIGPIPE.
    private static func readHandle(of input: Data) throws -> FileHandle {
        guard !input.isEmpty else { return try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null")) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cbl-input-\(UUID().uuidString)")
        try input.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try FileHandle(forReadingFrom: file)
    }

    private static func openPipe() throws -> (reading: FileHandle, writing: FileHandle) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(code(errno)) }
        return (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
    }

    private static func spawn(_ command: Command, streams: [Int32]) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        let closesTheRest = POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        let closesTheRest: Int32 = 0
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in streams.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        #if !canImport(Darwin)
        posix_spawn_file_actions_addclosefrom_np(&actions, Int32(streams.count))
        #endif
        if let directory = command.directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }

        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | closesTheRest))

        let arguments = strings([command.executable] + command.arguments)
        let environment = strings(command.environment.map { "\($0)=\($1)" })
        defer { for string in arguments + environment { free(string) } }
        var identifier: pid_t = 0
        let status = posix_spawn(&identifier, command.executable, &actions, &attributes, arguments, environment)
        guard status == 0 else { throw POSIXError(code(status)) }
        return identifier
    }

    /// Copies of the strings as C has them, with a null pointer at the end; to be freed by the caller.
    private static func strings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        strings.map { strdup($0) } + [nil]
    }

    private static func code(_ number: Int32) -> POSIXErrorCode {
        POSIXErrorCode(rawValue: number) ?? .EINVAL
    }
}
