import ArgumentParser
import CouchbaseLiteSwift

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the notes, the newest first.")
    @OptionGroup var place: Place

    func run() throws {
        let notes = try place.open().notes
        for note in try notes.query(orderBy: [SortDescriptor(\.changed, order: .reverse)]).all() { print(note.line) }
    }
}

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints a note.")
    @OptionGroup var place: Place
    @OptionGroup var named: Named

    func run() throws {
        let note = try place.open().note(named.note)
        print(note.line)
        if !note.text.isEmpty { print(printable(note.text)) }
        for (name, file) in note.files.sorted(by: { $0.key < $1.key }) { print(printable("\(name), \(file.length) bytes")) }
    }
}

struct Search: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the notes that contain all words, the best match first.")
    @OptionGroup var place: Place
    @Argument(help: "Words; \"plan*\" finds all words that begin with \"plan\".") var words: [String]

    func run() throws {
        for note in try place.open().search(words.joined(separator: " ")) { print(note.line) }
    }
}

struct Extract: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Writes an attachment to a file.")
    @OptionGroup var place: Place
    @OptionGroup var named: Named
    @Argument(help: "The name of the attachment.") var name: String
    @Argument(help: "The file. Default: the name of the attachment.", completion: .file()) var file: String?

    func run() throws {
        guard let content = try place.open().note(named.note).files[name]?.content else {
            throw ValidationError("The note has no attachment \"\(name)\".")
        }
        // Of the name only the last part, because another device may have chosen it.
        let target = file ?? URL(fileURLWithPath: name).lastPathComponent
        try content.write(to: URL(fileURLWithPath: target), options: .atomic)
    }
}

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Shows the list until Ctrl-C, and updates it after each change.")
    @OptionGroup var place: Place
    @Option(help: "Shows only the notes with this tag.") var tag: String?

    func run() async throws {
        let live = try place.open().live(tag: tag)
        for try await notes in live {
            // Clears the terminal.
            print("\u{1B}[2J\u{1B}[H\(notes.count) notes")
            for note in notes { print(note.line) }
            // Without it, the output of a program whose output is not a terminal is kept until a buffer is full.
            fflush(nil)
        }
    }
}
