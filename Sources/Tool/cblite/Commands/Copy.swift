import ArgumentParser
import Foundation

/// `cblite cp`
struct Copy: DestinationCommand {
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
    @Argument(help: ArgumentHelp.destination, completion: .directory) var destination: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        let destination = try checkedDestination()
        let opening = try database.opening()
        try opening.copy(to: destination)
        try report("Copied", from: opening.path, to: destination)
    }
}

/// What commands have in common that make a database from another one. Their arguments are no group of their own, because in
/// builds without optimization the parser checks a group in a group many times.
protocol DestinationCommand: ParsableCommand {
    /// The path as it was typed.
    var destination: String { get }
    var output: OutputOptions { get }
}

extension ArgumentHelp {
    static let destination: ArgumentHelp = "The new directory, which must not exist."
}

extension DestinationCommand {
    /// Returns the path of the database to be created, with the extension.
    ///
    /// - Throws: ``Failure`` if the path exists, or its parent directory does not.
    func checkedDestination() throws -> String {
        let path = DatabasePath.new(destination)
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure(.cannotCreate, "\(path) already exists", hint: "Choose another name, or move the existing database.")
        }
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: parent) else {
            throw Failure(.notFound, "there is no directory \(parent)", hint: "Create it with: mkdir -p")
        }
        return path
    }

    func report(_ what: String, from source: String, to path: String) throws {
        try output.print("\(what) \(source) to \(path)", ["from": source, "to": path])
    }
}
