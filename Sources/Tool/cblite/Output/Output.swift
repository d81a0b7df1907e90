import Foundation
import Synchronization

/// Writes text to a file descriptor through a buffer. Call ``flush()`` at the end; otherwise the content of the buffer is lost.
///
/// Texts from outside never control the terminal: in text for people they are always escaped, in text for programs on a terminal.
///
/// On a terminal, output that is longer than the screen can be shown with a pager.
final class Output {
    private var descriptor: Int32
    private var buffer: [UInt8] = []
    private static let bufferSize = 1 << 16
    /// The number of lines that are held back until it is known whether there are more than fit the screen; `nil` if no pager will be used.
    private var linesUntilPager: Int?
    /// The number of bytes written to the descriptor.
    private(set) var count = 0
    /// Whether people read the output on a terminal, also through the pager.
    let isTerminal: Bool
    /// Escapes the content that is written in pieces on a terminal.
    private var escapes: TerminalEscapes?

    init(descriptor: Int32 = STDOUT_FILENO, paging: Bool = false) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        buffer.reserveCapacity(Self.bufferSize + 4096)
        if paging, isTerminal, descriptor == STDOUT_FILENO, Pager.isWanted {
            linesUntilPager = TerminalSize.current(descriptor).rows - 1
        }
    }

    /// The style of text in this output.
    var style: Style { Style(isColoured: isTerminal && Style.isWanted) }

    // MARK: Text for people

    func write(_ text: TerminalText) throws(OutputError) {
        endPieces()
        buffer.append(contentsOf: text.text.utf8)
        try flushIfFull()
    }

    func line(_ text: TerminalText = "") throws(OutputError) {
        endPieces()
        buffer.append(contentsOf: text.text.utf8)
        try newline()
    }

    /// Writes a text from outside, and a line feed. Disfavored, so that a literal is a `TerminalText`, whose own parts are not escaped.
    @_disfavoredOverload func line(_ text: String) throws(OutputError) { try line(TerminalText(text)) }

    // MARK: Text for programs

    // It is exact, except on a terminal.

    func line(exactly text: String) throws(OutputError) {
        try write(exactly: text)
        try newline()
    }

    func write(exactly text: String) throws(OutputError) {
        endPieces()
        buffer.append(contentsOf: forTerminal(text).utf8)
        try flushIfFull()
    }

    func line(json: String) throws(OutputError) {
        endPieces()
        buffer.append(contentsOf: (isTerminal ? TerminalEscapes.escaped(json, .json) : json).utf8)
        try newline()
    }

    func write(json: UnsafeRawBufferPointer) throws(OutputError) { try write(piece: json, .json) }

    /// Writes the next bytes of a content that has lines of its own. They may end within a character.
    func write(content: UnsafeRawBufferPointer) throws(OutputError) { try write(piece: content, .lines) }

    /// Returns a text on one line as this output shows it: escaped on a terminal, otherwise unchanged.
    func forTerminal(_ text: String) -> String { isTerminal ? DisplayWidth.printable(text) : text }

    private func write(piece: UnsafeRawBufferPointer, _ form: TerminalEscapes.Form) throws(OutputError) {
        if isTerminal {
            var escapes = escapes ?? TerminalEscapes(form)
            self.escapes = nil
            escapes.append(piece, to: &buffer)
            self.escapes = escapes
        } else {
            buffer.append(contentsOf: piece)
        }
        try flushIfFull()
    }

    /// Ends a content that was written in pieces.
    private func endPieces() {
        escapes?.finish(to: &buffer)
        escapes = nil
    }

    func newline() throws(OutputError) {
        endPieces()
        buffer.append(UInt8(ascii: "\n"))
        if let lines = linesUntilPager {
            linesUntilPager = lines - 1
            if lines <= 1 { startPager() }
        }
        try flushIfFull()
    }

    private func startPager() {
        linesUntilPager = nil
        if let pipe = Pager.start() { descriptor = pipe }
    }

    private func flushIfFull() throws(OutputError) {
        guard buffer.count >= Self.bufferSize else { return }
        if linesUntilPager != nil { startPager() }
        try send()
    }

    /// Writes the content of the buffer to the descriptor. May block.
    func flush() throws(OutputError) {
        endPieces()
        try send()
    }

    private func send() throws(OutputError) {
        var written = 0
        while written < buffer.count {
            let result = buffer.withUnsafeBytes { bytes in
                Foundation.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if result < 0 {
                if errno == EINTR { continue }
                buffer.removeAll()
                throw errno == EPIPE ? .closed : .failed(errno: errno)
            }
            written += result
        }
        count += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}

/// The program that shows long output on a terminal: that of `CBLITE_PAGER` or `PAGER`, otherwise `less`. An empty value or `cat` switches it
/// off.
enum Pager {
    private struct Running: Sendable {
        let program: ChildProgram
        let pipe: Int32
    }
    private static let running = Mutex<Running?>(nil)

    private static var line: String {
        let environment = ProcessInfo.processInfo.environment
        return environment["CBLITE_PAGER"] ?? environment["PAGER"] ?? "less"
    }

    /// Whether long output is to be paged: not in a terminal that cannot move its cursor.
    static var isWanted: Bool {
        !line.isEmpty && line != "cat" && !["dumb", nil].contains(ProcessInfo.processInfo.environment["TERM"])
            && isatty(STDIN_FILENO) == 1
    }

    /// Starts the pager, and returns the descriptor that it reads; `nil` if it cannot be started, or is not installed.
    static func start() -> Int32? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // F: end at once if all fits the screen; R: colours; S: cut long lines, which arrow keys scroll; X: leave the text on the screen.
        guard
            let program = try? ChildProgram(
                "(set -- \(line); command -v \"$1\" >/dev/null) && exec \(line) || exec cat",
                input: ends[0],
                environment: ["LESS": "FRSX"]
            )
        else {
            for end in ends { close(end) }
            return nil
        }
        close(ends[0])
        running.withLock { $0 = Running(program: program, pipe: ends[1]) }
        return ends[1]
    }

    /// Waits until the user has left the pager, if it was started.
    static func finish() {
        let running = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        close(running.pipe)
        running.program.wait()
    }
}
