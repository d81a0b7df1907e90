import ArgumentParser
import DocumentStore
import Foundation

/// `cblite mv`
struct Move: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv",
        abstract: "Renames a database, or moves it on the same file system.",
        discussion: """
            Fails if another process has the database open, because that process could no longer open files at the old path.

            EXAMPLES:
              $ cblite mv travel.cblite2 journeys.cblite2

            With --json, one object: from, to.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The new directory, which must not exist.", completion: .directory) var destination: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        let source = BundlePath(database.path)
        // Opening the database throws if the path is not a valid database.
        try database.reading { _ in }
        let destination = try DestinationPath.check(destination)
        if FileLocks.isLockedByAnotherProcess(source) {
            throw Failure(
                .busy,
                "the database at \(source.directory) is open in another process",
                hint: "Close the other program, or make a copy with: cblite cp"
            )
        }
        guard rename(source.directory, destination.directory) == 0 else {
            if errno == EXDEV {
                throw Failure(.inputOutput, "\(destination.directory) is on another file system", hint: "Copy the database with: cblite cp")
            }
            throw Failure.system("move \(source.directory) to", destination.directory)
        }
        try DestinationPath.report("Moved", from: source, to: destination, json: output.json)
    }
}

/// Detects the file locks that SQLite holds on an open database.
enum FileLocks {
    /// The ranges that SQLite locks: the pending, reserved and shared bytes of the database file, and the lock bytes of the shared
    /// memory file of the log (SQLite, "File Locking" and "WAL-mode File Format" 2.3.1).
    private static let databaseLocks: Range<off_t> = 0x4000_0000..<0x4000_0200
    private static let sharedMemoryLocks: Range<off_t> = 120..<129

    /// Returns whether another process has the database open and has read from it. This process must not have the database open,
    /// because closing a descriptor of a file releases all locks of the process on that file.
    static func isLockedByAnotherProcess(_ bundle: BundlePath) -> Bool {
        isLocked(bundle.sqliteFile, databaseLocks) || isLocked(bundle.sqliteFile + "-shm", sharedMemoryLocks)
    }

    private static func isLocked(_ path: String, _ range: Range<off_t>) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = range.lowerBound
        lock.l_len = off_t(range.count)
        return fcntl(descriptor, F_GETLK, &lock) == 0 && Int32(lock.l_type) != Int32(F_UNLCK)
    }
}
