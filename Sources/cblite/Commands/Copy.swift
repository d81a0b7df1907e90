import ArgumentParser
import DocumentStore
import Foundation

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

/// The destination of `cp` and `mv`.
enum DestinationPath {
    /// Returns the path of a database to be created, with the extension.
    ///
    /// - Throws: ``Failure`` if the path exists, or its parent directory does not.
    static func check(_ typed: String) throws -> BundlePath {
        let path = BundlePath(DatabasePath.new(typed))
        guard !FileManager.default.fileExists(atPath: path.directory) else {
            throw Failure(.cannotCreate, "\(path.directory) already exists", hint: "Choose another name, or move the existing database.")
        }
        let parent = URL(fileURLWithPath: path.directory).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: parent) else {
            throw Failure(.notFound, "there is no directory \(parent)", hint: "Create it with: mkdir -p")
        }
        return path
    }

    static func report(_ what: String, from source: BundlePath, to destination: BundlePath, json: Bool) throws {
        let output = Output()
        if json {
            try output.line(
                JSONPrinter.object { printer in
                    printer.member("from", source.directory)
                    printer.member("to", destination.directory)
                }
            )
        } else {
            try output.line("\(what) \(source.directory) to \(destination.directory)")
        }
        try output.flush()
    }
}
