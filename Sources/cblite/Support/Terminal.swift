import Foundation

/// The terminal somebody sits at, whatever standard input and output are.
enum Terminal {
    /// Asks for a line that is not shown while it is typed.
    static func askSecretly(
        _ question: String,
        hint: String = "Give it with --password-file FILE, or in the environment variable CBLITE_PASSWORD."
    ) throws -> String {
        guard let terminal = FileHandle(forUpdatingAtPath: "/dev/tty") else {
            throw Failure(.usage, "there is no terminal to ask for the password on", hint: hint)
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
        // A terminal gives whole lines, and none at the end of input.
        while let byte = terminal.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { line.append(byte) }
        guard !line.isEmpty else { throw Failure(.usage, "no password was given") }
        return String(decoding: line, as: UTF8.self)
    }
}
