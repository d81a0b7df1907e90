package import ExactStrings

/// What a client has subscribed to.
package struct FeedRequest: Sendable {
    /// The client's last sequence in JSON; `nil` requests all changes.
    package var since: String?
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
    package var changes: [AnnouncedChange]
    /// The number of examined changes, including those that are not announced.
    package var examinedCount: Int
    /// Whether the end of the feed was reached at the time of the read.
    package var isEnd: Bool

    package init(changes: [AnnouncedChange], examinedCount: Int, isEnd: Bool) {
        (self.changes, self.examinedCount, self.isEnd) = (changes, examinedCount, isEnd)
    }
}
