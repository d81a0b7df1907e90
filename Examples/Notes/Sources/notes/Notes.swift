import ArgumentParser
import CouchbaseLiteSwift

@main
struct Notes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes",
        abstract: "Notes in a database that syncs.",
        subcommands: [Add.self, List.self, Show.self, Edit.self, Attach.self, Extract.self, Search.self, Delete.self, Watch.self] + syncing
    )

    #if SYNC
    private static let syncing: [any ParsableCommand.Type] = [Sync.self]
    #else
    private static let syncing: [any ParsableCommand.Type] = []
    #endif
}

/// Where the database is.
struct Place: ParsableArguments {
    @Option(name: .shortAndLong, help: "The directory of the database.") var directory = "."

    func open() throws -> Notebook { try Notebook(in: directory) }
}

/// The argument that names a note.
struct Named: ParsableArguments {
    @Argument(help: "The ID of the note, or its beginning.") var note: String
}
