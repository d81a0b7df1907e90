#if Replication
import Base
import Testing

@testable import Hub

@Suite("The history of a user's channels")
struct AccessHistoryTests {
    private func channels(_ names: String...) -> Set<ExactString> { Set(exactly: names) }

    private func had(_ history: AccessHistory, since number: UInt64) -> Set<ExactString> { Set(history.earlier(since: number).ends.keys) }

    @Test("channels since an epoch are those that the user had at any time, or all the time")
    func epochs() {
        var history = AccessHistory(channels("a", "b"))
        #expect(history.isCurrent(channels("b", "a")))
        history.begin(channels("b", "c"), at: 3)
        history.begin(channels("b", "d"), at: 7)
        #expect(history.current == 2)
        #expect(had(history, since: 0) == channels("a", "b", "c", "d"))
        #expect(history.all(since: 0) == channels("b"))
        #expect(had(history, since: 1) == channels("b", "c", "d"))
        #expect(had(history, since: 2) == channels("b", "d"))
        #expect(history.all(since: 2) == channels("b", "d"))
        #expect(history.all(since: 9) == channels("b", "d"))
    }

    @Test("the oldest epochs are merged, and stand for all that they contained")
    func merging() {
        var history = AccessHistory(channels("first", "always"))
        for number in 1...60 { history.begin(channels("always", "only-\(number)"), at: UInt64(number)) }
        #expect(history.epochs.count == AccessHistory.maximumCount)
        #expect(history.current == 60)
        #expect(had(history, since: 0).contains("first"))
        #expect(had(history, since: 3).contains("only-5"))
        #expect(history.all(since: 0) == channels("always"))
        #expect(!had(history, since: 40).contains("only-39"))
    }

    @Test("after the removal of a user the channels are forgotten, and the numbers of the epochs go on")
    func forgetting() {
        var history = AccessHistory(channels("a", "b"))
        history.begin(channels("a", "c"), at: 1)
        history.forget(at: 2)
        #expect(!history.isCurrent(channels("a", "c")))
        history.begin(channels("a"), at: 3)
        #expect(history.current == 3)
        #expect(had(history, since: 0) == channels("a"))
        #expect(history.all(since: 1) == [])
        #expect(history.all(since: 3) == channels("a"))
    }

    @Test(
        "a position is read as it was written",
        arguments: ["7", "2:7", "2:7:1", "2:7:1:3", "0:0:0:0", "3:0:1", "2:7:1:3:4", "2:7:1:7:4"]
    )
    func positions(text: String) throws {
        let position = try FeedPosition(text)
        #expect(try FeedPosition(position.json) == position)
        #expect(try FeedPosition(position.text) == position)
    }

    @Test("a position of another server is the beginning, and any other text an error")
    func foreignPositions() throws {
        for text in ["", "null", "\"\"", "8::10", "1:2:3:4:5:6", "99999999999999999999"] {
            #expect(try FeedPosition(text) == FeedPosition())
        }
        for text in ["-3", "1.5", "garbage", "{}", "\"", "1 "] { #expect(throws: (any Error).self) { try FeedPosition(text) } }
    }
}
#endif
