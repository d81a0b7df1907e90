import Base
import DocumentStore
import Fleece

/// The content of a document of a world: a mark of each edit, a text, and blobs.
struct DocumentContent {
    var marks: Set<ExactString> = []
    var text = ""
    /// The blob dictionaries as JSON, by name.
    var blobs: [ExactString: String] = [:]

    init() {}

    init(_ body: FleeceData, _ keys: SharedKeys) throws {
        try body.withRoot { root in
            guard let root = root.dictionary else { return }
            root.value(for: "marks", sharedKeys: keys)?.dictionary?.forEach { key, _ in
                if let mark = key.text(keys) { marks.insert(ExactString(mark)) }
            }
            text = root.value(for: "text", sharedKeys: keys)?.string ?? ""
            try root.value(for: "blobs", sharedKeys: keys)?.dictionary?.forEach { key, value in
                guard let name = key.text(keys) else { return }
                blobs[ExactString(name)] = try JSON.string(value, sharedKeys: keys, form: .canonical)
            }
        }
    }

    // The marks and the names of blobs are stored as values, too. A revision ID is derived from the stored body, in which keys are
    // numbers, and the same number can be another key in another database (Storage format 3.6): bodies that differ only in their
    // keys can have the same revision ID.
    var json: String {
        let marks = marks.sorted().map { #""\#($0)":"\#($0)""# }.joined(separator: ",")
        let blobs = blobs.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
        return #"{"marks":{\#(marks)},"text":"\#(text)","blobs":{\#(blobs)}}"#
    }

    /// Returns the union of both contents.
    func merged(with other: DocumentContent) -> DocumentContent {
        var result = self
        result.marks.formUnion(other.marks)
        result.text = max(text, other.text)
        result.blobs.merge(other.blobs) { max($0, $1) }
        return result
    }
}

extension ConflictResolution {
    /// Merges both sides; a deletion wins.
    static func merging(_ conflict: StoredConflict, in file: DatabaseFile) throws -> ConflictResolution {
        if conflict.remote.isDeleted || conflict.local.isDeleted {
            return SessionRunner.defaultResolution(conflict)
        }
        let local = try DocumentContent(conflict.local.body, conflict.sharedKeys)
        let remote = try DocumentContent(conflict.remote.body, conflict.sharedKeys)
        let json = Array(local.merged(with: remote).json.utf8)
        return .merged(
            try file.withBodyEncoder { encoder in
                try json.withUnsafeBytes { try JSON.parse($0, into: &encoder.encoder) }
                return try encoder.finishOwned()
            }
        )
    }
}
