package import Base
package import DocumentStore
import Fleece

/// What the client of a passive session may read and write. Called on the executor of the session, with the current rights of the client.
package struct PassiveAccess: Sendable {
    /// Returns whether the client may read a document. Of other documents neither the content nor the blobs are sent. Throws {HTTP, 401} if
    /// the client may not use the database at all anymore.
    package var mayRead: @Sendable (CollectionID, FilteredRevision) throws -> Bool
    /// Returns what the client may store in a collection. Other revisions are refused with {HTTP, 403}. Throws {HTTP, 401} if the client may not
    /// use the database at all anymore.
    package var storing: @Sendable (CollectionID) throws -> any StoringRights
    /// Returns the changes to announce: documents that the client may read, and those that it may not read anymore. Throws the error to
    /// respond to the subscription with.
    package var feed: @Sendable (ReplicaCollection, FeedRequest) throws -> any PassiveFeed
    /// Called with the revisions that the client replaces, before the commit.
    package var replaced: @Sendable (CollectionID, FilteredRevision) -> Void

    package init(
        mayRead: @escaping @Sendable (CollectionID, FilteredRevision) throws -> Bool,
        storing: @escaping @Sendable (CollectionID) throws -> any StoringRights,
        feed: @escaping @Sendable (ReplicaCollection, FeedRequest) throws -> any PassiveFeed,
        replaced: @escaping @Sendable (CollectionID, FilteredRevision) -> Void = { _, _ in }
    ) {
        self.mayRead = mayRead
        self.storing = storing
        self.feed = feed
        self.replaced = replaced
    }
}

extension PassiveAccess {
    /// Returns whether the client may read a revision whose body was read.
    func mayRead(
        _ collection: CollectionID,
        _ revision: RevisionID,
        of documentID: String,
        _ body: (FleeceData, SharedKeys)
    ) throws -> Bool {
        let found = FilteredRevision(documentID: documentID, revision: revision, isDeleted: false, body: body.0, sharedKeys: body.1)
        return try mayRead(collection, found)
    }
}

extension ReplicaCollection {
    /// Returns the current revision of a document, including a tombstone; `nil` if the document does not exist.
    func currentRevision(of documentID: String) throws -> FilteredRevision? {
        func read() throws -> FilteredRevision? {
            try store.document(documentID, includingDeleted: true).map { try FilteredRevision($0, as: name(of: $0)) }
        }
        return try view.isTrees ? store.withOneSnapshot(read) : read()
    }

    /// Returns whether a client may read the current revision of a document. A document that does not exist may be read.
    func isReadable(_ documentID: String, by access: PassiveAccess?) throws -> Bool {
        guard let access, let current = try currentRevision(of: documentID) else { return true }
        return try access.mayRead(id, current)
    }
}

/// What a client has subscribed to.
package struct FeedRequest: Sendable {
    /// The client's last sequence in JSON; `nil` requests all changes.
    package var since: String?
    /// The maximum number of changes that one call returns.
    package var batchSize: Int
    /// Whether deleted documents are omitted until the client has caught up.
    package var isActiveOnly: Bool
    /// Whether the client wants to know which documents it may not read anymore.
    package var wantsRevocations: Bool
    /// The IDs of the documents that the client wants; `nil` for all documents.
    package var documentIDs: Set<ExactString>?
    /// The channels that the client wants; `nil` for all.
    package var channels: [String]?
}

/// The changes to announce to a client, in the order in which it must receive them.
package protocol PassiveFeed {
    /// Returns the next changes, at most one batch. It may return fewer or none if many unwanted changes had to be examined.
    mutating func next() throws -> PassiveSlice
}

/// Some changes of a feed.
package struct PassiveSlice: Sendable {
    /// The changes to announce, in order.
    package var changes: [AnnouncedChange]
    /// The number of examined changes, including those that are not announced.
    package var examinedCount: Int
    /// Whether the end of the feed was reached at the time of the read.
    package var isEnd: Bool

    package init(changes: [AnnouncedChange], examinedCount: Int, isEnd: Bool) {
        (self.changes, self.examinedCount, self.isEnd) = (changes, examinedCount, isEnd)
    }
}
