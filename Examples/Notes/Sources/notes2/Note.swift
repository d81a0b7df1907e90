import ArgumentParser
import CouchbaseLiteSwift

/// A note of version 2, which has a priority and can be done. Version 1, in `Sources/notes`, stores notes without these properties.
struct Note: Codable, Identifiable, DefaultProviding {
    @DocumentID var id: String?
    var title: String
    var text = ""
    var tags: [String] = []
    var changed = Date()
    /// This version has no commands for attachments, but version 1 cannot read a note without this property.
    var files: [String: Blob] = [:]
    var isDone = false
    var priority = Priority.normal

    /// What notes of version 1 lack.
    static var defaultValue: Note { Note(title: "Untitled") }
}

/// A later version may add cases: this one then reads them as the default of the note.
enum Priority: String, Codable, CaseIterable, ExpressibleByArgument {
    case low, normal, high
}

extension Note {
    /// The beginning of the ID, which is enough to name a note in a command.
    var shortID: String { String((id ?? "").prefix(8)) }

    /// A line of a list. It has no control characters: the title may come from another device, and a terminal would execute them.
    var line: String {
        let printable = title.filter { !($0 < " " || $0 == "\u{7F}") }
        return "\(shortID)  \(isDone ? "☑︎" : "☐") \(printable)\(priority == .normal ? "" : " (\(priority.rawValue))")"
    }
}
