/// The feed of a client that may read all documents.
struct OpenFeed: PassiveFeed {
    private var feed: ChangesFeed

    init(_ feed: ChangesFeed) { self.feed = feed }

    mutating func next() throws -> PassiveSlice {
        let slice = try feed.next()
        return PassiveSlice(changes: slice.changes.map { AnnouncedChange($0) }, examinedCount: slice.examinedCount, isEnd: slice.isEnd)
    }
}
