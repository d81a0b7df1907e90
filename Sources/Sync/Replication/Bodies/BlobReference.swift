package import DocumentStore
import Fleece

/// A reference from a document to a blob that may have to be fetched (Replication 4.9).
package struct BlobReference: Equatable {
    /// The digest by which the blob is fetched and stored.
    package let digest: BlobDigest
    /// The size of the blob in bytes; `nil` if the document does not specify it.
    let length: UInt64?
    /// Whether the peer should compress the content.
    let isCompressible: Bool

    /// Returns `nil` if the dictionary has no valid digest.
    init?(_ dictionary: DictionaryValue, sharedKeys: SharedKeys) {
        guard let digest = BlobDictionary.digest(in: dictionary, sharedKeys: sharedKeys) else { return nil }
        self.digest = digest
        let length = dictionary.value(for: BlobDictionary.lengthKey, sharedKeys: sharedKeys)
        self.length = length.flatMap { $0.isInteger ? $0.integerBits : nil }.flatMap { UInt64(exactly: $0) }
        isCompressible = Self.isCompressible(
            contentType: dictionary.value(for: BlobDictionary.contentTypeKey, sharedKeys: sharedKeys)?.string,
            encoding: dictionary.value(for: "encoding", sharedKeys: sharedKeys)?.string
        )
    }

    /// Returns the blobs in a body and the entries of its `_attachments`, each digest once.
    static func all(in body: Value, sharedKeys: SharedKeys) -> [BlobReference] {
        var found: [BlobReference] = []
        var digests: Set<BlobDigest> = []
        BlobReferences.forEach(in: body, sharedKeys: sharedKeys) { dictionary in
            guard let reference = BlobReference(dictionary, sharedKeys: sharedKeys),
                digests.insert(reference.digest).inserted
            else { return }
            found.append(reference)
        }
        return found
    }

    private static let compressedMarks = ["zip", "zlib", "pkcs", "mpeg", "mp4", "crypt", ".rar", "-rar"]
    private static let compressedKinds = ["image/", "audio/", "video/"]

    /// Returns whether content of this type usually becomes smaller by compression (Replication 4.9). Content without a type is not
    /// compressed.
    static func isCompressible(contentType: String?, encoding: String? = nil) -> Bool {
        guard let type = contentType?.lowercased(), !type.isEmpty else { return false }
        if let encoding = encoding?.lowercased(), compressedMarks.contains(where: { encoding.contains($0) }) { return false }
        return !compressedMarks.contains { type.contains($0) } && !compressedKinds.contains { type.hasPrefix($0) }
    }
}
