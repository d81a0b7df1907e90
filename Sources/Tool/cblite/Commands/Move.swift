import ArgumentParser
import Foundation

/// `cblite mv`
struct Move: DestinationCommand {
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
    @Argument(help: ArgumentHelp.destination, completion: .directory) var destination: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        let source = database.path
        // Opening the database throws if the path is not a valid database.
        try database.reading { _ in }
        let destination = try checkedDestination()
        if DatabaseFiles.areLockedByAnotherProcess(at: source) {
            throw Failure(
                .busy,
                "the database at \(source) is open in another process",
                hint: "Close the other program, or make a copy with: cblite cp"
            )
        }
        guard rename(source, destination) == 0 else {
            if errno == EXDEV {
                throw Failure(.inputOutput, "\(destination) is on another file system", hint: "Copy the database with: cblite cp")
            }
            throw Failure.system("move \(source) to", destination)
        }
        try report("Moved", from: source, to: destination)
    }
}
