import ArgumentParser
import DocumentStore

/// `cblite cp`
struct Copy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cp",
        abstract: "Copies a database.",
        discussion: """
            The original may be in use and is not changed. The copy gets new UUIDs and the current file version. It is created \
            in a temporary directory next to the destination, and renamed when it is complete.

            EXAMPLES:
              $ cblite cp travel.cblite2 backup.cblite2

            With --json, one object: from, to.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The directory of the copy, which must not exist.", completion: .directory) var destination: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        let source = BundlePath(database.path)
        let destination = try DestinationPath.check(destination)
        try DatabaseCopy.copy(source, to: destination, options: database.options())
        try DestinationPath.report("Copied", from: source, to: destination, json: output.json)
    }
}
