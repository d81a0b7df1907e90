#if Replication
/// Decides whether a document takes part in a replication: false skips it.
///
/// A filter of pushed documents sees each before it is sent, one of pulled documents sees it before it is stored. It is
/// called on a background thread, one call at a time for a replicator; a filter of pushed documents also on the thread that calls
/// ``Replicator/pendingDocumentIds(collection:)`` or ``Replicator/isDocumentPending(_:collection:)``, perhaps at the same time. The
/// document is immutable, and it is a misuse to ask it for a mutable copy.
public typealias ReplicationFilter = (Document, DocumentFlags) -> Bool

/// What is to be known about a replicated document besides its contents.
public struct DocumentFlags: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The document was deleted.
    public static let deleted = DocumentFlags(rawValue: 1 << 0)
    /// The user has lost access to the document on the server.
    public static let accessRemoved = DocumentFlags(rawValue: 1 << 1)
}
#endif
