import Foundation

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
    static func printError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
