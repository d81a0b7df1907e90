import CSpawn
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A child process of the tests, with the reading ends of its output pipes.
///
/// Foundation's `Process` is not used, because it reads past the end of a buffer when many files are open
/// (https://github.com/swiftlang/swift-corelibs-foundation/pull/5472), and the tests open thousands.
struct ChildProcess {
    /// The command to start.
    struct Command {
        var executable: String
        var arguments: [String]
        var environment: [String: String]
        /// The working directory; `nil` for that of the tests.
        var directory: String?
    }

    let identifier: pid_t
    let standardOutput: FileHandle
    let standardError: FileHandle

    /// Starts `command` with `input` as its standard input. It inherits no other descriptors, and no blocked or ignored signals.
    ///
    /// - Throws: `POSIXError` if the process cannot be started.
    init(_ command: Command, input: Data) throws {
        let input = try Self.readHandle(of: input)
        let (output, outputEnd) = try Self.openPipe()
        let (error, errorEnd) = try Self.openPipe()
        let streams = [input, outputEnd, errorEnd].map(\.fileDescriptor)
        identifier = try Self.spawn(command, streams: streams)
        // Only the child may have these open, so that the readers get the end of file when it has ended.
        for handle in [input, outputEnd, errorEnd] { try handle.close() }
        standardOutput = output
        standardError = error
    }

    /// Blocks until the process has ended. Its identifier is not reused until ``release()``.
    func waitUntilEnded() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
    }

    /// Reaps the ended process, which releases its identifier, and returns how it ended.
    func release() -> ProcessEnding {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// Returns a handle that reads `input`. It is an unlinked file, not a pipe: otherwise the tests would get SIGPIPE if the process ends
    /// without reading its input.
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

    /// Returns C copies of the strings, followed by a null pointer. The caller must free them.
    private static func strings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        strings.map { strdup($0) } + [nil]
    }

    private static func code(_ number: Int32) -> POSIXErrorCode {
        POSIXErrorCode(rawValue: number) ?? .EINVAL
    }
}
