import Base
import DocumentStore
import Fleece

/// Writes a document without the properties that only the protocol needs: top-level properties whose names begin with an underscore, except
/// attachments that do not refer to a blob (Replication 4.6, 4.9).
struct BodyCleaner {
    let sharedKeys: SharedKeys
    let attachments: Attachments?

    func write(_ root: DictionaryValue, into encoder: inout Encoder) {
        encoder.beginDictionary()
        for (key, value) in root.pairs {
            if sharedKeys.withText(of: key, { $0.first == UInt8(ascii: "_") }) { continue }
            encoder.copyKey(key, from: .other(sharedKeys))
            write(value, depth: 1, into: &encoder)
        }
        if let kept = attachments?.kept, !kept.isEmpty {
            encoder.writeKey(OutgoingBody.attachmentsKey)
            encoder.beginDictionary()
            for (name, entry) in kept {
                encoder.copyKey(name, from: .other(sharedKeys))
                encoder.write(entry, keys: .other(sharedKeys))
            }
            encoder.endDictionary()
        }
        encoder.endDictionary()
    }

    /// Copies a value as a whole, unless it contains blobs whose content was replaced.
    private func write(_ value: Value, depth: Int, into encoder: inout Encoder) {
        guard let attachments, !attachments.replacements.isEmpty, depth < Limits.maximumDepth else {
            return encoder.write(value, keys: .other(sharedKeys))
        }
        if let array = value.array {
            encoder.beginArray()
            for index in 0..<array.count {
                if let item = array[index] { write(item, depth: depth + 1, into: &encoder) }
            }
            encoder.endArray()
        } else if let dictionary = value.dictionary {
            encoder.beginDictionary()
            let replacement = attachments.replacements[value.position]
            for (key, value) in dictionary.pairs where replacement.map({ !isReplaced(key, by: $0) }) ?? true {
                encoder.copyKey(key, from: .other(sharedKeys))
                write(value, depth: depth + 1, into: &encoder)
            }
            if let replacement { writeContent(of: replacement, into: &encoder) }
            encoder.endDictionary()
        } else {
            encoder.write(value, keys: .other(sharedKeys))
        }
    }

    private static let contentKeys = [BlobDictionary.digestKey, BlobDictionary.lengthKey, BlobDictionary.contentTypeKey]

    /// Returns whether a member of a blob is dropped in favor of the attachment. The content type is retained if the attachment has none;
    /// the old digest and length would be wrong.
    private func isReplaced(_ key: DictionaryKey, by entry: DictionaryValue) -> Bool {
        guard let name = key.text(sharedKeys), Self.contentKeys.contains(name) else { return false }
        return name != BlobDictionary.contentTypeKey || entry.value(for: name, sharedKeys: sharedKeys) != nil
    }

    private func writeContent(of entry: DictionaryValue, into encoder: inout Encoder) {
        for name in Self.contentKeys {
            guard let value = entry.value(for: name, sharedKeys: sharedKeys) else { continue }
            encoder.writeKey(name)
            encoder.write(value, keys: .other(sharedKeys))
        }
    }
}

/// The `_attachments` of a received document: entries that refer to blobs in the body, and attachments as in Couchbase Lite 1.x
/// (Replication 4.9).
struct Attachments {
    /// The entries that do not refer to a blob. They stay in the document.
    private(set) var kept: [(key: DictionaryKey, value: Value)] = []
    /// The entries for blobs whose content was replaced by a client that only knows attachments, by the position of the blob in the body.
    private(set) var replacements: [Int: DictionaryValue] = [:]
    private(set) var digests: Set<BlobDigest> = []

    /// Returns `nil` if the body has no `_attachments`.
    init?(in body: Value, sharedKeys: SharedKeys) {
        guard let entries = body.dictionary?.value(for: OutgoingBody.attachmentsKey, sharedKeys: sharedKeys)?.dictionary
        else { return nil }
        entries.forEach { key, value in
            let entry = value.dictionary
            if let digest = entry.flatMap({ BlobReference($0, sharedKeys: sharedKeys) })?.digest { digests.insert(digest) }
            let name = key.text(sharedKeys) ?? ""
            guard let rest = name.rest(afterExactly: OutgoingBody.standInPrefix) else { return kept.append((key, value)) }
            if let first = rest.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) { return }
            guard let target = JSONPointer.value(at: rest, in: body, sharedKeys: sharedKeys),
                let blob = target.dictionary, BlobDictionary.isBlob(blob, sharedKeys: sharedKeys)
            else { return kept.append((key, value)) }
            if let entry, Self.isOtherContent(entry, than: blob, sharedKeys: sharedKeys) {
                replacements[target.position] = entry
            }
        }
    }

    private static func isOtherContent(_ entry: DictionaryValue, than blob: DictionaryValue, sharedKeys: SharedKeys) -> Bool {
        guard let digest = entry.value(for: BlobDictionary.digestKey, sharedKeys: sharedKeys)?.string else { return false }
        return !digest.isExactly(blob.value(for: BlobDictionary.digestKey, sharedKeys: sharedKeys)?.string)
    }
}
