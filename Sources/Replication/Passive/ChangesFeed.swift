import DocumentStore
import ExactStrings

/// The documents that a client is to be told of, in the order of their sequences (Replication 6.3).
struct ChangesFeed {
    private let subscription: Subscription
    private var cursor: ChangeCursor
    /// Whether everything has been told that was there at some moment. From then on tombstones are told to everybody.
    private(set) var isLive = false

    /// - Throws: When the database cannot be read.
    init(_ collection: ReplicaCollection, _ subscription: Subscription) throws {
        self.subscription = subscription
        let last = try collection.lastSequence()
        // A client that knows more than there is has synced with another state of this database.
        cursor = ChangeCursor(
            collection,
            after: subscription.since <= last ? subscription.since : 0,
            documentIDs: subscription.documentIDs.map { $0.lazy.map(\.string) },
            remote: nil
        )
    }

    /// The next changes, at most a batch of them; fewer, or none, also when many that are not wanted had to be looked at.
    mutating func next() throws -> ChangeCursor.Slice {
        let skipsTombstones = subscription.isActiveOnly && !isLive
        let isFiltered = subscription.documentIDs != nil || skipsTombstones
        let slice = try cursor.next(
            subscription.batchSize,
            lookingAt: isFiltered ? ChangeCursor.sliceSize : subscription.batchSize
        ) { !$0.isExpired && !(skipsTombstones && $0.isDeleted) }
        if slice.isEnd { isLive = true }
        return slice
    }
}
