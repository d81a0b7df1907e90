import Base
import DocumentStore

/// The changes to announce to a client, in sequence order (Replication 6.3).
struct SubscriptionFeed {
    private let subscription: Subscription
    private var cursor: ChangeCursor
    /// Whether the end of the feed has been reached once. From then on, tombstones are announced to every client.
    private(set) var isLive = false

    /// - Throws: An error if the database cannot be read.
    init(_ collection: ReplicaCollection, _ subscription: Subscription) throws {
        self.subscription = subscription
        let last = try collection.lastSequence()
        // A client whose sequence is higher than the last one has synced with another state of this database. It starts from the beginning.
        cursor = ChangeCursor(
            collection,
            after: subscription.since <= last ? subscription.since : 0,
            documentIDs: subscription.documentIDs.map { $0.lazy.map(\.string) },
            remote: nil
        )
    }

    /// Returns the next changes, at most one batch. It may return fewer or none if many unwanted changes had to be examined.
    mutating func next() throws -> ChangeCursor.Slice {
        let skipsTombstones = subscription.isActiveOnly && !isLive
        let isFiltered = subscription.documentIDs != nil || skipsTombstones
        let slice = try cursor.next(subscription.batchSize, lookingAt: isFiltered ? ChangeCursor.sliceSize : subscription.batchSize) {
            !$0.isExpired && !(skipsTombstones && $0.isDeleted)
        }
        for (documentID, error) in slice.damaged {
            EngineLog.log(.error, .replicator, "\"\(documentID)\" cannot be sent to a client: \(error)")
        }
        if slice.isEnd { isLive = true }
        return slice
    }
}
