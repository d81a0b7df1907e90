import Base
package import DocumentStore
package import Fleece

/// The entries of `_attachments` with which a body is sent to a peer that does not find inline blobs (Replication 4.9): those in the body, and
/// one for each blob, whose name is `blob_` with the JSON pointer to the blob.
///
/// It is valid as long as the memory of the body.
package struct OutgoingAttachments {
    /// One member of `_attachments`.
    package struct Entry {
        /// The key of the member. For a blob, it begins with `blob_`.
        package let name: String
        /// The entry as stored, or the blob.
        package let value: Value
        /// Whether this is the entry of a blob, which is in the body.
        package let isBlob: Bool
    }

    /// The members: those in the body first, and then those for blobs.
    package let entries: [Entry]
    private let keys: SharedKeys
    private let generation: UInt64

    /// - Parameters:
    ///   - root: The body.
    ///   - generation: The generation of the revision, which is the `revpos` of the entries for blobs; 0 for a version, whose entries have none.
    package init(in root: Value, _ keys: SharedKeys, generation: UInt64) throws(FleeceError) {
        (self.keys, self.generation) = (keys, generation)
        var blobs = BlobPointers(root, keys)
        if let dictionary = root.dictionary { blobs.find(in: dictionary) }
        var entries: [Entry] = []
        let stored = root.dictionary?.value(for: OutgoingBody.attachmentsKey, sharedKeys: keys)?.dictionary
        let pairs = stored?.pairs ?? []
        // Invalid ones are not among the pairs.
        guard pairs.count == stored?.count ?? 0 else { throw FleeceError(.badPointer) }
        for (key, value) in pairs {
            guard let name = key.text(keys) else { throw FleeceError(.badKey) }
            // An entry with such a name stands for a blob, and is made anew.
            guard blobs.found.isEmpty || !name.beginsExactly(with: OutgoingBody.standInPrefix) else { continue }
            entries.append(Entry(name: name, value: value, isBlob: false))
        }
        for (pointer, blob) in blobs.found { entries.append(Entry(name: OutgoingBody.standInPrefix + pointer, value: blob, isBlob: true)) }
        self.entries = entries
    }

    var haveBlobs: Bool { entries.last?.isBlob == true }

    /// Appends a member for an entry.
    package func append(_ entry: Entry, to writer: inout JSONWriter) throws(FleeceError) {
        guard entry.isBlob else { return try writer.member(entry.name, entry.value, sharedKeys: keys) }
        try writer.object(entry.name) { writer throws(FleeceError) in
            try appendMembers(of: entry, excluding: ["stub", "revpos"], to: &writer)
            writer.member("stub", true)
            if generation > 0 { writer.member("revpos", generation) }
        }
    }

    /// Appends the members of an entry, without the type of a blob.
    package func appendMembers(of entry: Entry, excluding excluded: [String], to writer: inout JSONWriter) throws(FleeceError) {
        try writer.members(of: entry.value, sharedKeys: keys) { name in
            !excluded.contains { name.elementsEqual($0.utf8) } && !(entry.isBlob && name.elementsEqual(BlobDictionary.typeKey.utf8))
        }
    }

    /// Returns a member of an entry.
    package func value(of name: String, in entry: Entry) -> Value? { entry.value.dictionary?.value(for: name, sharedKeys: keys) }

    /// Returns `revpos` of an entry: the generation in which it became part of the document; `nil` if it is not known.
    package func revisionPosition(of entry: Entry) -> UInt64? {
        entry.isBlob ? generation : value(of: "revpos", in: entry)?.integerBits.flatMap { UInt64(exactly: $0) }
    }

    /// Returns the digest of the content of an entry; `nil` if it has none.
    package func digest(of entry: Entry) -> BlobDigest? {
        entry.value.dictionary.flatMap { BlobDictionary.digest(in: $0, sharedKeys: keys) }
    }
}

/// Finds the blobs in a body, with JSON pointers to them (RFC 6901).
private struct BlobPointers {
    private(set) var found: [(pointer: String, blob: Value)] = []
    private let keys: SharedKeys
    private var budget: ValueBudget
    /// The steps to the container that is searched. Few bodies have blobs, so the pointer is made of them when one is found.
    private var path: [Step] = []

    private enum Step {
        case key(DictionaryKey)
        case index(Int)
    }

    init(_ root: Value, _ keys: SharedKeys) {
        self.keys = keys
        budget = ValueBudget(for: root)
    }

    mutating func find(in root: DictionaryValue) {
        root.forEach { key, value in
            guard value.isContainer, !isAttachments(key) else { return }
            find(in: value, at: .key(key))
        }
    }

    private func isAttachments(_ key: DictionaryKey) -> Bool {
        switch key {
        case .string(let bytes): OutgoingBody.isAttachmentsKey(bytes)
        case .shared(let number): keys.withBytes(of: number, OutgoingBody.isAttachmentsKey) ?? false
        }
    }

    private mutating func find(in value: Value, at step: Step) {
        guard budget.consume(), path.count < Limits.maximumDepth else { return }
        path.append(step)
        defer { path.removeLast() }
        if let array = value.array {
            for index in 0..<array.count {
                if let item = array[index], item.isContainer { find(in: item, at: .index(index)) }
            }
        } else if let dictionary = value.dictionary {
            if BlobDictionary.isBlob(dictionary, sharedKeys: keys) { return found.append((pointer, value)) }
            dictionary.forEach { key, item in
                if item.isContainer { find(in: item, at: .key(key)) }
            }
        }
    }

    private var pointer: String {
        path.reduce(into: "") { pointer, step in
            switch step {
            case .key(let key): pointer += "/" + Self.escaped(key.text(keys) ?? "")
            case .index(let index): pointer += "/\(index)"
            }
        }
    }

    private static func escaped(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return name }
        return name.unicodeScalars.reduce(into: "") { result, character in
            switch character {
            case "~": result += "~0"
            case "/": result += "~1"
            default: result.unicodeScalars.append(character)
            }
        }
    }
}

extension Value {
    fileprivate var isContainer: Bool { type == .array || type == .dictionary }
}
