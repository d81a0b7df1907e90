import DocumentStore
import ExactStrings

extension Blob {
    /// Returns whether two blobs have the same content. Digests are compared if both blobs are stored; otherwise the content is read. A
    /// blob whose content cannot be read is equal only to itself.
    public static func == (blob1: Blob, blob2: Blob) -> Bool {
        if blob1 === blob2 { return true }
        guard let digest1 = blob1.contentDigest, let digest2 = blob2.contentDigest else { return false }
        return digest1 == digest2
    }

    /// Feeds the digest of the content into `hasher`. The content is read if it is not stored yet.
    public func hash(into hasher: inout Hasher) { hasher.combine(contentDigest) }

    /// The digest; computed from the content if the blob is not stored yet. Equal digests mean equal contents.
    private var contentDigest: ExactString? {
        if let digest { return ExactString(digest) }
        return content.map { data in data.withUnsafeBytes { ExactString(BlobDigest(of: $0).string) } }
    }
}
