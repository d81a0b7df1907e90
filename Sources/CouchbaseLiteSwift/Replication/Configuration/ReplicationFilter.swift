#if Replication
/// Returns whether a document is replicated; `false` skips the document.
///
/// A push filter is called before a document is sent, a pull filter before it is stored. Filters are called on a background thread, one
/// call at a time per replicator; a push filter also on the thread that calls ``Replicator/pendingDocumentIds(collection:)`` or
/// ``Replicator/isDocumentPending(_:collection:)``, possibly concurrently. The document is immutable, and it is a misuse to request a
/// mutable copy of it.
@preconcurrency public typealias ReplicationFilter = @Sendable (Document, DocumentFlags) -> Bool

/// Properties of a replicated document besides its contents.
public struct DocumentFlags: OptionSet, Sendable {
    /// The bits of the flags.
    public let rawValue: Int

    /// Creates flags from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The document was deleted.
    public static let deleted = DocumentFlags(rawValue: 1 << 0)
    /// The user has lost access to the document on the server.
    public static let accessRemoved = DocumentFlags(rawValue: 1 << 1)
}
#endif
