import DocumentStore

/// The documents that a client is to be told of, in the order of their sequences (Replication 6.3).
struct ChangesFeed {
    private let collection: ReplicaCollection
    private let subscription: Subscription
    /// The last change that was looked at.
    private var since: UInt64
    /// Those of the chosen documents that are still to be told, the last first.
    private var chosen: [LocalChange] = []
    /// Whether everything has been told that was there at some moment. From then on tombstones are told to everybody.
    private(set) var isLive = false

    /// How many changes are read at once when not all are told.
    private static let scanSize = 1000

    /// - Throws: When the database cannot be read.
    init(_ collection: ReplicaCollection, _ subscription: Subscription) throws {
        self.collection = collection
        self.subscription = subscription
        let last = try collection.lastSequence()
        // A client that knows more than there is has synced with another state of this database.
        since = subscription.since <= last ? subscription.since : 0
        if let ids = subscription.documentIDs {
            // Few of many: they are looked up, and not sought among all changes.
            chosen = try ids.compactMap { try collection.change(of: $0, remote: nil) }
                .filter { $0.sequence > since && isWanted($0) }
                .sorted { $0.sequence > $1.sequence }
            since = last
        }
    }

    /// The next changes, at most a batch of them.
    ///
    /// - Returns: The changes, and whether they were the last for now.
    mutating func next() throws -> (changes: [LocalChange], isEnd: Bool) {
        var batch: [LocalChange] = []
        while let change = chosen.popLast() {
            batch.append(change)
            if batch.count == subscription.batchSize { return (batch, false) }
        }
        let limit = isFiltered ? Self.scanSize : subscription.batchSize
        while true {
            let changes = try collection.changes(after: since, limit: limit, remote: nil)
            for change in changes {
                since = change.sequence
                guard isWanted(change) else { continue }
                batch.append(change)
                if batch.count == subscription.batchSize { return (batch, false) }
            }
            guard changes.count == limit else {
                isLive = true
                return (batch, true)
            }
        }
    }

    private var isFiltered: Bool {
        subscription.documentIDs != nil || subscription.isActiveOnly && !isLive
    }

    private func isWanted(_ change: LocalChange) -> Bool {
        if change.isExpired || subscription.isActiveOnly && !isLive && change.isDeleted { return false }
        return subscription.documentIDs?.contains(change.documentID) ?? true
    }
}
