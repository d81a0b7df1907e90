import DocumentStore
import ExactStrings
import Fleece

/// What a document of a world holds: a mark of every edit that it has gone through, a text, and blobs.
struct DocumentContent {
    var marks: Set<ExactString> = []
    var text = ""
    /// What stands for the blobs, as JSON, by name.
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

    // The marks stand there as values, too, and so do the names of blobs. A revision ID is made of the stored body, in which keys are
    // numbers, and the same number stands for another key in another database (Storage format 3.6): bodies that differ in nothing but
    // keys can have the same revision ID.
    var json: String {
        let marks = marks.sorted().map { #""\#($0)":"\#($0)""# }.joined(separator: ",")
        let blobs = blobs.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
        return #"{"marks":{\#(marks)},"text":"\#(text)","blobs":{\#(blobs)}}"#
    }

    /// Everything that either has.
    func merged(with other: DocumentContent) -> DocumentContent {
        var result = self
        result.marks.formUnion(other.marks)
        result.text = max(text, other.text)
        result.blobs.merge(other.blobs) { max($0, $1) }
        return result
    }
}

extension ConflictResolution {
    /// Keeps what both sides have; a deletion wins.
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
