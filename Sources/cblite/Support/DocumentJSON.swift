import DocumentStore
import Fleece

/// Writes documents as JSON with the ID as a property, and keys in the order of their bytes (Storage format 9.3).
struct DocumentJSON: ~Copyable {
    /// The name of the member that contains the ID.
    static let idKey = "_id"
    /// The name of the member that contains the revision ID, if requested.
    static let revisionKey = "_rev"

    private var writer = JSONWriter(capacity: 4096)

    /// Calls `body` with the JSON text of a document, which is valid only during the call.
    ///
    /// - Throws: `StoreError.corruptDocument` if the stored body cannot be read; errors of `body`.
    mutating func withText<Result>(
        of record: DocumentRecord,
        includingRevision: Bool = false,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        writer.removeAll()
        var extra = [(Self.idKey, record.id)]
        if includingRevision { extra.append((Self.revisionKey, record.revision.description)) }
        do throws(FleeceError) {
            let isWritten: Void? = try record.body.withRoot { root throws(FleeceError) in
                try append(root, keys: record.sharedKeys, extra: extra)
            }
            guard isWritten != nil else { throw FleeceError(.badRoot) }
        } catch {
            throw StoreError.corruptDocument(documentID: record.id, reason: error.description)
        }
        return try writer.withBytes(body)
    }

    /// - Parameter extra: Members in addition to the properties, sorted by key. They replace properties of the same
    ///   name, which no release can have stored.
    private mutating func append(_ root: Value, keys: SharedKeys, extra: [(key: String, value: String)]) throws(FleeceError) {
        guard let dictionary = root.dictionary else { throw FleeceError(.badRoot) }
        var extra = extra[...]
        var needsComma = false
        writer.append(ascii: "{")
        for (key, value) in dictionary.pairs.sorted(by: { keys.isOrdered($0.key, $1.key) }) {
            guard let text = key.text(keys) else { throw FleeceError(.badKey, at: value.position) }
            var isReplaced = false
            while let next = extra.first, Self.isOrdered(next.key, text) || next.key == text {
                isReplaced = isReplaced || next.key == text
                append(next, &needsComma)
                extra.removeFirst()
            }
            if isReplaced { continue }
            if needsComma { writer.append(ascii: ",") }
            needsComma = true
            writer.append(text)
            writer.append(ascii: ":")
            try writer.append(value, sharedKeys: keys, form: .canonical)
        }
        for member in extra { append(member, &needsComma) }
        writer.append(ascii: "}")
    }

    private mutating func append(_ member: (key: String, value: String), _ needsComma: inout Bool) {
        if needsComma { writer.append(ascii: ",") }
        needsComma = true
        writer.append(member.key)
        writer.append(ascii: ":")
        writer.append(member.value)
    }

    private static func isOrdered(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
