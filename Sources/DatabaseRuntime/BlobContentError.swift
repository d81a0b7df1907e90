package import DocumentStore

/// The error that a document contains a blob that is stored in another database.
package struct ForeignBlob: Error {
    /// The message for a document that a conflict resolver returned (API 11).
    package static let reason =
        "A document contains a blob that was saved to a different database. The save operation cannot complete."

    package init() {}
}

/// The content of a blob cannot be read or stored.
package enum BlobContentError: Error, CustomStringConvertible {
    case notSaved
    case missing(_ digest: String)
    case wrongSize(_ digest: String, actual: UInt64, stated: UInt64)
    case removed(BlobDigest)
    case noContent
    case invalidDigest(String)
    case streamFailed

    package var description: String {
        switch self {
        case .notSaved: "The content of a blob cannot be read before the blob is saved"
        case .missing(let digest): "The content of the blob \(digest) is missing"
        case .wrongSize(let digest, let actual, let stated):
            "The content of the blob \(digest) has \(actual) bytes instead of \(stated)"
        case .removed(let digest):
            """
            The content of the blob \(digest.string) is no longer in the database. A compaction deletes content that no document \
            refers to; create a new blob.
            """
        case .noContent: "The blob cannot be saved: it has no content, or its stream could not be read"
        case .invalidDigest(let text): "\"\(text)\" is not a valid blob digest"
        case .streamFailed: "The input stream failed without reporting an error"
        }
    }
}
