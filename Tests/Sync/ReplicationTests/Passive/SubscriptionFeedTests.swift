import DocumentStore
import Testing

@testable import Replication

@Suite("Feeds of subscriptions")
struct SubscriptionFeedTests {
    @Test("a feed with many skipped tombstones is read in slices, and no document is omitted")
    func slices() throws {
        let replica = try TestReplica()
        try replica.file.transaction { _ in
            for number in 0..<2500 {
                try replica.save("d\(number)", "{}")
                if number % 1200 != 7 { try replica.delete("d\(number)") }
            }
        }
        var subscription = Subscription()
        subscription.isActiveOnly = true
        var feed = try SubscriptionFeed(try replica.collection(), subscription)
        var notified: [String] = []
        var count = 0
        while true {
            let slice = try feed.next()
            #expect(slice.examinedCount <= ChangeCursor.sliceSize)
            notified += slice.changes.map(\.documentID)
            count += 1
            if slice.isEnd { break }
        }
        #expect(notified == ["d7", "d1207", "d2407"])
        #expect(count == 3)
    }
}
