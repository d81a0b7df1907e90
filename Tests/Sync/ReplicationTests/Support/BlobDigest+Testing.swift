import DocumentStore

extension BlobDigest {
    /// The digest of a content.
    init(of content: [UInt8]) {
        self = content.withUnsafeBytes { BlobDigest(of: $0) }
    }
}
