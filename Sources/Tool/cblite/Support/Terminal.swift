import Foundation

/// The controlling terminal, independent of standard input and output.
enum Terminal {
    /// Asks for a line without echoing it.
    ///
    /// - Throws: ``Failure`` if there is no terminal, or the line is empty.
    static func promptForSecret(
        _ question: String,
        hint: String = "Give it with --password-file FILE, or in the environment variable CBLITE_PASSWORD."
    ) throws -> String {
        guard let terminal = FileHandle(forUpdatingAtPath: "/dev/tty") else {
            throw Failure(.usage, "there is no terminal on which to ask for the password", hint: hint)
        }
        let descriptor = terminal.fileDescriptor
        var silent = termios()
        tcgetattr(descriptor, &silent)
        let settings = silent
        silent.c_lflag &= ~tcflag_t(ECHO)
        let restore = { @Sendable in
            var settings = settings
            tcsetattr(descriptor, TCSAFLUSH, &settings)
            _ = write(descriptor, "\n", 1)
        }
        // The terminal keeps its settings when the process ends.
        let interrupt = Interrupt([SIGINT, SIGTERM, SIGQUIT]) { signal in
            restore()
            _exit(128 + signal)
        }
        terminal.write(Data(DisplayWidth.printable(question).utf8))
        tcsetattr(descriptor, TCSAFLUSH, &silent)
        defer {
            restore()
            interrupt.cancel()
        }
        var line: [UInt8] = []
        // A terminal returns whole lines, and no bytes at the end of input.
        while let byte = terminal.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { line.append(byte) }
        guard !line.isEmpty else { throw Failure(.usage, "no password was given") }
        return String(decoding: line, as: UTF8.self)
    }
}

extension Terminal {
    /// Asks a question on the terminal.
    ///
    /// - Throws: ``Failure`` if the answer is not yes, or there is no terminal on standard input.
    static func confirm(_ question: String) throws {
        guard isatty(STDIN_FILENO) == 1 else { throw Failure(.usage, "not confirmed: \(question)", hint: "Confirm it with --yes.") }
        StandardStreams.printError("\(question) [y/N] ")
        let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else { throw Failure(.usage, "nothing was changed") }
    }
}

/// Colours text, on a terminal only, and not if `NO_COLOR` is set (no-color.org).
struct Style {
    enum Stream {
        case standardOutput, standardError

        var isTerminal: Bool { isatty(self == .standardOutput ? STDOUT_FILENO : STDERR_FILENO) == 1 }
    }

    let isColoured: Bool

    func bold(_ text: TerminalText) -> TerminalText { mark(text, "1") }
    func faint(_ text: TerminalText) -> TerminalText { mark(text, "2") }
    func red(_ text: TerminalText) -> TerminalText { mark(text, "31") }
    func green(_ text: TerminalText) -> TerminalText { mark(text, "32") }
    func yellow(_ text: TerminalText) -> TerminalText { mark(text, "33") }
    func blue(_ text: TerminalText) -> TerminalText { mark(text, "34") }

    /// Marks a text from outside. Disfavored, so that a literal is a `TerminalText`.
    @_disfavoredOverload func bold(_ text: String) -> TerminalText { bold(TerminalText(text)) }
    @_disfavoredOverload func faint(_ text: String) -> TerminalText { faint(TerminalText(text)) }
    @_disfavoredOverload func red(_ text: String) -> TerminalText { red(TerminalText(text)) }
    @_disfavoredOverload func yellow(_ text: String) -> TerminalText { yellow(TerminalText(text)) }

    private func mark(_ text: TerminalText, _ code: String) -> TerminalText {
        isColoured ? TerminalText(own: "\u{1B}[\(code)m\(text.text)\u{1B}[0m") : text
    }
}

extension Style {
    init(for stream: Stream) { self.init(isColoured: stream.isTerminal && Self.isWanted) }

    /// Whether the user wants colours on a terminal.
    static var isWanted: Bool {
        let environment = ProcessInfo.processInfo.environment
        return (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }
}

/// The descriptors of standard input, output and error.
enum StandardStreams {
    /// Opens `/dev/null` for those that were closed before the tool was started, so that no file it opens gets their numbers
    /// and receives their output. They are opened in the wrong direction, so that using them fails.
    static func keepDescriptors() {
        for (descriptor, flags) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
            guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { continue }
            // `open` returns the lowest free number, which is this one: those below it are in use.
            _ = open("/dev/null", flags)
        }
    }

    /// Writes to standard error. Failures are ignored: there is nowhere to report them, and a full disk behind the redirected stream must not
    /// end a server.
    static func printError(_ text: TerminalText) { try? FileHandle.standardError.write(contentsOf: Data(text.text.utf8)) }

    /// Writes a text from outside with its lines. Disfavored, so that a literal is a `TerminalText`.
    @_disfavoredOverload static func printError(_ text: String) { printError(TerminalText(lines: text)) }
}
