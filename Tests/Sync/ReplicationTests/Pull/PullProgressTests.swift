import BLIP
import SyncCore
import Testing

@testable import Replication

@Suite("Batches and progress of a pull")
struct PullProgressTests {
    @Test("documents are proposed in lists of 200, with up to five lists unanswered")
    func batches() throws {
        let commits = Box(0)
        let replica = try TestReplica { if $0 == .after { commits.value += 1 } }
        let pull = try TestPull(replica)
        pull.changes(#"[[1,"a","1-aa"],[2,"b","1-aa"],[3,"c","1-aa"]]"#)
        let first = pull.rev("a", "1-aa", sequence: "1")
        pull.rev("b", "1-aa", sequence: "2")
        #expect(pull.peer.summary(first) == "no reply" && commits.value == 0)
        pull.peer.advance(by: .milliseconds(19))
        #expect(commits.value == 0)
        pull.peer.advance(by: .milliseconds(1))
        #expect(pull.peer.summary(first) == "RES" && commits.value == 1 && pull.progress == ["2"])
        pull.rev("c", "1-aa", sequence: "3")
        #expect(commits.value == 2 && pull.progress == ["2", "3"])
    }

    @Test("a batch of a hundred revisions is stored at once")
    func fullBatch() throws {
        let commits = Box(0)
        let replica = try TestReplica { if $0 == .after { commits.value += 1 } }
        let pull = try TestPull(replica)
        pull.changes("[" + (1...150).map { "[\($0),\"d\($0)\",\"1-aa\"]" }.joined(separator: ",") + "]")
        for number in 1...149 { pull.rev("d\(number)", "1-aa", sequence: "\(number)") }
        #expect(commits.value == 1 && pull.progress == ["100"])
        pull.rev("d150", "1-aa", sequence: "150")
        #expect(commits.value == 2 && pull.progress == ["100", "150"])
        try pull.check()
    }

    @Test("changes messages are answered in order, and late while too many revisions are pending")
    func throttle() throws {
        let pull = try TestPull()
        func list(_ range: ClosedRange<Int>) -> String {
            "[" + range.map { "[\($0),\"d\($0)\",\"1-aa\"]" }.joined(separator: ",") + "]"
        }
        let lists = [1...150, 151...300, 301...450, 451...600].map { pull.peer.send("changes", [:], list($0)) }
        #expect(lists.map { pull.peer.reply(to: $0) != nil } == [true, true, false, false])
        pull.caughtUp()
        // Bodies so large that there is room for 200.
        let body = #"{"s":"\#(String(repeating: "x", count: 50_000))"}"#
        for number in 1...100 { pull.rev("d\(number)", "1-aa", sequence: "\(number)", body, isNoReply: true) }
        #expect(lists.map { pull.peer.reply(to: $0) != nil } == [true, true, false, false])
        pull.rev("d101", "1-aa", sequence: "101", body, isNoReply: true)
        #expect(lists.map { pull.peer.reply(to: $0) != nil } == [true, true, true, false])
        for number in 102...450 { pull.rev("d\(number)", "1-aa", sequence: "\(number)", body, isNoReply: true) }
        #expect(pull.peer.reply(to: lists[3]) != nil && pull.puller.isBusy)
        for number in 451...600 { pull.rev("d\(number)", "1-aa", sequence: "\(number)", "{}", isNoReply: true) }
        #expect(pull.progress.last == "600" && !pull.puller.isBusy)
    }

    @Test("pull progress counts documents regardless of their size")
    func progress() throws {
        let pull = try TestPull()
        pull.changes(#"[[1,"a","1-aa",false,100],[2,"b","1-aa"],[3,"c","1-aa",false,50]]"#)
        #expect(pull.peer.status.totalDocuments == 3 && pull.peer.status.completedDocuments == 0)
        pull.rev("a", "1-aa", sequence: "1")
        pull.norev("b", "1-aa", sequence: "2")
        #expect(pull.peer.status.completedDocuments == 1)
        pull.rev("c", "1-aa", sequence: "3")
        #expect(pull.peer.status.completedDocuments == 3)
    }

    @Test("announced sizes, however large, do not affect the progress")
    func hugeSizes() throws {
        let pull = try TestPull()
        let size = "9223372036854775807"
        pull.changes(#"[[1,"a","1-aa",false,\#(size)],[2,"b","1-aa",false,\#(size)],[3,"c","1-aa",false,\#(size)]]"#)
        #expect(pull.peer.status.totalDocuments == 3)
        pull.rev("a", "1-aa", sequence: "1")
        pull.rev("b", "1-aa", sequence: "2")
        pull.rev("c", "1-aa", sequence: "3")
        #expect(pull.peer.status.completedDocuments == 3)
    }
}
