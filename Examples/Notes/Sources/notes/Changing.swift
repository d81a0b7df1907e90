import ArgumentParser
import CouchbaseLiteSwift

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Adds a note and prints its ID.")
    @OptionGroup var place: Place
    @Argument var title: String
    @Option var text = ""
    @Option(name: .customLong("tag"), help: "A tag. Can be repeated.") var tags: [String] = []

    func run() throws {
        // A UUID, because the IDs that the library generates begin with a hyphen, like an option.
        let note = Note(id: UUID().uuidString.lowercased(), title: title, text: text, tags: tags)
        print(try place.open().save(note).shortID)
    }
}

struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Changes a note.")
    @OptionGroup var place: Place
    @OptionGroup var named: Named
    @Option var title: String?
    @Option var text: String?
    @Option(name: .customLong("tag"), help: "A tag to add. Can be repeated.") var tags: [String] = []

    func run() throws {
        let notebook = try place.open()
        var note = try notebook.note(named.note)
        note.title = title ?? note.title
        note.text = text ?? note.text
        note.tags += tags.filter { !note.tags.contains($0) }
        try notebook.save(note)
    }
}

struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Deletes a note.")
    @OptionGroup var place: Place
    @OptionGroup var named: Named

    func run() throws {
        let notebook = try place.open()
        try notebook.notes.delete(notebook.note(named.note))
    }
}

struct Attach: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Attaches a file to a note.")
    @OptionGroup var place: Place
    @OptionGroup var named: Named
    @Argument(help: "The file.", completion: .file()) var file: String

    func run() throws {
        let notebook = try place.open()
        var note = try notebook.note(named.note)
        let url = URL(fileURLWithPath: file)
        note.files[url.lastPathComponent] = try Blob(contentType: "application/octet-stream", validating: url)
        try notebook.save(note)
    }
}
