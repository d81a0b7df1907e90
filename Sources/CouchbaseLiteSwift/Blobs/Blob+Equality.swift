import DocumentStore

extension Blob {
    /// Whether both have the same content: equal digests if both are stored, else equal bytes.
    public static func == (blob1: Blob, blob2: Blob) -> Bool {
        blob1 === blob2 || blob1.contentDigest == blob2.contentDigest
    }

    /// Feeds the digest of the content into `hasher`. Reads the content when it is not stored.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(contentDigest)
    }

    /// The digest, of the content itself if it is not stored: equal digests mean equal contents.
    private var contentDigest: String? {
        if let digest { return digest }
        return content.map { data in
            data.withUnsafeBytes { BlobDigest(of: $0).string }
        }
    }
}
