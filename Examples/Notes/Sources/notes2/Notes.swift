import ArgumentParser
import CouchbaseLiteSwift

@main
struct Notes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes2",
        abstract: "Version 2 of the notes: with priorities, and notes that are done.",
        subcommands: [Add.self, List.self, Done.self] + syncing
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

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds a note and prints its ID.")
    @OptionGroup var place: Place
    @Argument var title: String
    @Option var text = ""
    @Option(help: "low, normal or high.") var priority = Priority.normal

    func run() throws {
        let note = Note(id: UUID().uuidString.lowercased(), title: title, text: text, priority: priority)
        print(try place.open().notes.save(note).shortID)
    }
}

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the notes that are not done.")
    @OptionGroup var place: Place
    @Flag(help: "Lists the notes that are done, too.") var all = false

    func run() throws {
        for note in try place.open().list(all: all) { print(note.line) }
    }
}

struct Done: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Marks a note as done.")
    @OptionGroup var place: Place
    @Argument(help: "The ID of the note, or its beginning.") var note: String

    func run() throws {
        let notebook = try place.open()
        var note = try notebook.note(note)
        note.isDone = true
        note.changed = Date()
        try notebook.notes.save(note)
    }
}
