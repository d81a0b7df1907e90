import DocumentStore
import ExactStrings
import Fleece

/// The `_attachments` of a document that has come: entries that stand for blobs in the body, and attachments of 1.x's kind
/// (Replication 4.9).
struct Attachments {
    /// The entries that stand for no blob, and stay in the document.
    private(set) var kept: [(key: DictionaryKey, value: Value)] = []
    /// What the peer says of blobs whose content was changed by somebody who knows attachments only, by the position of the blob.
    private(set) var replacements: [Int: DictionaryValue] = [:]
    /// The digests of all entries.
    private(set) var digests: Set<BlobDigest> = []

    /// Nil when the body has no `_attachments`.
    init?(in body: Value, sharedKeys: SharedKeys) {
        guard let entries = body.dictionary?.value(for: OutgoingBody.attachmentsKey, sharedKeys: sharedKeys)?.dictionary
        else {
            return nil
        }
        entries.forEach { key, value in
            let entry = value.dictionary
            if let digest = entry.flatMap({ BlobReference($0, sharedKeys: sharedKeys) })?.digest {
                digests.insert(digest)
            }
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

    private static func isOtherContent(_ entry: DictionaryValue, than blob: DictionaryValue, sharedKeys: SharedKeys)
        -> Bool
    {
        guard let digest = entry.value(for: BlobDictionary.digestKey, sharedKeys: sharedKeys)?.string else { return false }
        return !digest.isExactly(blob.value(for: BlobDictionary.digestKey, sharedKeys: sharedKeys)?.string)
    }
}
