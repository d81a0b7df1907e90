import Base
import DocumentStore
package import Fleece

/// Writes the bodies of revisions as they are sent: as JSON (Replication 3.8, 4.9).
package enum OutgoingBody {
    /// Returns the JSON of a stored body. Blobs stay inline.
    static func json(_ body: FleeceData, _ keys: SharedKeys) throws(FleeceError) -> [UInt8] {
        var writer = JSONWriter(capacity: body.bytes.count * 2)
        let isWritten = try body.withRoot { root throws(FleeceError) in
            guard root.type == .dictionary else { return false }
            try writer.append(root, sharedKeys: keys)
            return true
        }
        return isWritten == true ? writer.byteArray : Array("{}".utf8)
    }

    /// Returns the JSON of a body for a peer that does not find inline blobs: each blob also gets an entry in the dictionary `_attachments`
    /// (Replication 4.9). A body without blobs is not changed.
    ///
    /// - Parameter generation: The generation of the revision that is sent. Every entry for a blob gets it as its `revpos`.
    package static func jsonWithAttachments(_ body: FleeceData, _ keys: SharedKeys, generation: UInt64) throws(FleeceError) -> [UInt8] {
        var writer = JSONWriter(capacity: body.bytes.count * 2)
        let isWritten = try body.withRoot { root throws(FleeceError) in
            guard let dictionary = root.dictionary else { return false }
            var blobs = BlobPointers(root, keys)
            blobs.find(in: dictionary)
            guard !blobs.found.isEmpty else {
                try writer.append(root, sharedKeys: keys)
                return true
            }
            writer.append(ascii: "{")
            for (key, value) in dictionary.pairs {
                let name = try Self.text(of: key, keys)
                guard name != attachmentsKey else { continue }
                try append(name, value, keys, to: &writer)
                writer.append(ascii: ",")
            }
            writer.append(attachmentsKey)
            writer.append(ascii: ":")
            try appendAttachments(
                dictionary.value(for: attachmentsKey, sharedKeys: keys)?.dictionary,
                blobs.found,
                keys,
                generation: generation,
                to: &writer
            )
            writer.append(ascii: "}")
            return true
        }
        return isWritten == true ? writer.byteArray : Array("{}".utf8)
    }

    /// The property with the attachments.
    package static let attachmentsKey = "_attachments"
    /// The prefix of the name of an entry that refers to a blob. A JSON pointer to the blob follows it.
    static let standInPrefix = "blob_"

    /// Returns whether an entry of `_attachments` would be lost, because its name begins as that of an entry that refers to a blob, but there is
    /// no such blob in the body.
    package static func refersToMissingBlob(_ name: String, in body: DictionaryValue, sharedKeys: SharedKeys) -> Bool {
        name.beginsExactly(with: standInPrefix) && !refersToBlob(name, in: body, sharedKeys: sharedKeys)
    }

    /// Returns whether the name of an entry of `_attachments` is that of a blob in the body.
    package static func refersToBlob(_ name: String, in body: DictionaryValue, sharedKeys: SharedKeys) -> Bool {
        // Properties of the protocol are no part of the body.
        guard let pointer = name.rest(afterExactly: standInPrefix), !pointer.utf8.starts(with: "/_".utf8),
            let blob = JSONPointer.value(at: pointer, in: body, sharedKeys: sharedKeys)?.dictionary
        else { return false }
        return BlobDictionary.isBlob(blob, sharedKeys: sharedKeys)
    }

    private static func appendAttachments(
        _ attachments: DictionaryValue?,
        _ blobs: [(pointer: String, blob: DictionaryValue)],
        _ keys: SharedKeys,
        generation: UInt64,
        to writer: inout JSONWriter
    ) throws(FleeceError) {
        writer.append(ascii: "{")
        var needsComma = false
        for (key, value) in attachments?.pairs ?? [] {
            let name = try text(of: key, keys)
            guard !name.beginsExactly(with: standInPrefix) else { continue }
            if needsComma { writer.append(ascii: ",") }
            needsComma = true
            try append(name, value, keys, to: &writer)
        }
        for (pointer, blob) in blobs {
            if needsComma { writer.append(ascii: ",") }
            needsComma = true
            writer.append(standInPrefix + pointer)
            writer.append(raw: ":{")
            for (key, value) in blob.pairs {
                let name = try text(of: key, keys)
                guard ![BlobDictionary.typeKey, "stub", "revpos"].contains(name) else { continue }
                try append(name, value, keys, to: &writer)
                writer.append(ascii: ",")
            }
            writer.append(raw: #""stub":true,"revpos":"#)
            writer.append(unsigned: generation)
            writer.append(ascii: "}")
        }
        writer.append(ascii: "}")
    }

    private static func append(_ name: String, _ value: Value, _ keys: SharedKeys, to writer: inout JSONWriter) throws(FleeceError) {
        writer.append(name)
        writer.append(ascii: ":")
        try writer.append(value, sharedKeys: keys)
    }

    private static func text(of key: DictionaryKey, _ keys: SharedKeys) throws(FleeceError) -> String {
        if let text = key.text(keys) { return text }
        guard case .shared(let number) = key else { throw FleeceError(.badKey) }
        throw FleeceError(.unknownSharedKey(number))
    }
}

/// Finds the blobs in a body, with JSON pointers to them (RFC 6901).
private struct BlobPointers {
    private(set) var found: [(pointer: String, blob: DictionaryValue)] = []
    private let keys: SharedKeys
    private var budget: ValueBudget

    init(_ root: Value, _ keys: SharedKeys) {
        self.keys = keys
        budget = ValueBudget(for: root)
    }

    mutating func find(in root: DictionaryValue) {
        for (key, value) in root.pairs {
            guard let name = key.text(keys), name != OutgoingBody.attachmentsKey else { continue }
            find(in: value, "/" + Self.escaped(name), depth: 1)
        }
    }

    private mutating func find(in value: Value, _ pointer: String, depth: Int) {
        guard budget.consume(), depth <= Limits.maximumDepth else { return }
        if let array = value.array {
            for index in 0..<array.count {
                guard let item = array[index], item.type == .array || item.type == .dictionary else { continue }
                find(in: item, pointer + "/\(index)", depth: depth + 1)
            }
        } else if let dictionary = value.dictionary {
            if BlobDictionary.isBlob(dictionary, sharedKeys: keys) {
                found.append((pointer, dictionary))
                return
            }
            for (key, item) in dictionary.pairs where item.type == .array || item.type == .dictionary {
                guard let name = key.text(keys) else { continue }
                find(in: item, pointer + "/" + Self.escaped(name), depth: depth + 1)
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
