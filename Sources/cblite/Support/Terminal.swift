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
        var settings = termios()
        tcgetattr(descriptor, &settings)
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        terminal.write(Data(question.utf8))
        tcsetattr(descriptor, TCSAFLUSH, &silent)
        defer {
            tcsetattr(descriptor, TCSAFLUSH, &settings)
            terminal.write(Data("\n".utf8))
        }
        var line: [UInt8] = []
        // A terminal returns whole lines, and no bytes at the end of input.
        while let byte = terminal.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { line.append(byte) }
        guard !line.isEmpty else { throw Failure(.usage, "no password was given") }
        return String(decoding: line, as: UTF8.self)
    }
}
