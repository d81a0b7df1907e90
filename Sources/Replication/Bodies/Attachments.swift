import DocumentStore
import ExactStrings
import Fleece

/// The `_attachments` of a received document: entries that refer to blobs in the body, and attachments as in Couchbase Lite 1.x
/// (Replication 4.9).
struct Attachments {
    /// The entries that do not refer to a blob. They stay in the document.
    private(set) var kept: [(key: DictionaryKey, value: Value)] = []
    /// The entries for blobs whose content was replaced by a client that only knows attachments, by the position of the blob in the body.
    private(set) var replacements: [Int: DictionaryValue] = [:]
    /// The digests of all entries.
    private(set) var digests: Set<BlobDigest> = []

    /// Returns `nil` if the body has no `_attachments`.
    init?(in body: Value, sharedKeys: SharedKeys) {
        guard let entries = body.dictionary?.value(for: OutgoingBody.attachmentsKey, sharedKeys: sharedKeys)?.dictionary
        else { return nil }
        entries.forEach { key, value in
            let entry = value.dictionary
            if let digest = entry.flatMap({ BlobReference($0, sharedKeys: sharedKeys) })?.digest { digests.insert(digest) }
            let name = key.text(sharedKeys) ?? ""
            guard name.hasPrefix(OutgoingBody.standInPrefix) else { return kept.append((key, value)) }
            let rest = name.dropFirst(OutgoingBody.standInPrefix.count)
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
