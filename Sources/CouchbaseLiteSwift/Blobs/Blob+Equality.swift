import DocumentStore
import ExactStrings

extension Blob {
    /// Whether both have the same content: equal digests if both are stored, else equal bytes. A blob whose content cannot be read is
    /// equal to itself alone.
    public static func == (blob1: Blob, blob2: Blob) -> Bool {
        if blob1 === blob2 { return true }
        guard let digest1 = blob1.contentDigest, let digest2 = blob2.contentDigest else { return false }
        return digest1 == digest2
    }

    /// Feeds the digest of the content into `hasher`. Reads the content when it is not stored.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(contentDigest)
    }

    /// The digest, of the content itself if it is not stored: equal digests mean equal contents.
    private var contentDigest: ExactString? {
        if let digest { return ExactString(digest) }
        return content.map { data in
            data.withUnsafeBytes { ExactString(BlobDigest(of: $0).string) }
        }
    }
}
