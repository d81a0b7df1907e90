import Foundation

/// The three descriptors that a process is started with.
enum StandardStreams {
    /// Takes the place of those that were closed before the tool was started, so that no file it opens gets their numbers
    /// and then receives what is meant for them. What stands in their place can be used neither way round.
    static func keepDescriptors() {
        for (descriptor, flags) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
            guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { continue }
            // The lowest free number is taken, which is this one: those below it are in use by now.
            _ = open("/dev/null", flags)
        }
    }
}
