import CouchbaseLiteSwift

/// A note: one document of the collection "notes".
struct Note: Codable, Identifiable {
    @DocumentID var id: String?
    var title: String
    var text = ""
    var tags: [String] = []
    var changed = Date()
    /// The attachments, by their file names. Only what is read is loaded from the disk.
    var files: [String: Blob] = [:]
}

extension Note {
    /// The beginning of the ID, which is enough to name a note in a command.
    var shortID: String { String((id ?? "").prefix(8)) }

    /// A line of a list.
    var line: String {
        let labels = tags.map { " #\($0)" }.joined() + (files.isEmpty ? "" : " [\(files.count) files]")
        return printable("\(shortID)  \(title)\(labels)")
    }
}

/// Returns a text without control characters: it may come from another device, and a terminal would execute them.
func printable(_ text: String) -> String {
    text.filter { $0 == "\n" || $0 == "\t" || !($0 < " " || $0 == "\u{7F}") }
}
