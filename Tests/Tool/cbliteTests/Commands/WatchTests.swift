import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("cblite watch", .ownThreads)
struct WatchTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    @Test("watch prints earlier changes since a sequence, and those that another process makes")
    func changes() throws {
        let watch = try tool.start("watch", "db", "--since", "1", "--bodies")
        defer { watch.kill() }
        let first = try watch.waitForOutput(lines: 2).map { try object($0) }
        #expect(first.map { $0["id"] as? String } == ["b", "c"])
        #expect(first.map { $0["seq"] as? Int } == [2, 3])
        try tool.lines("put", "db", "a", #"{"n":9}"#)
        let third = try object(watch.waitForOutput(lines: 3)[2])
        #expect(third["id"] as? String == "a" && third["deleted"] as? Bool == false && third["seq"] as? Int == 4)
        #expect((third["body"] as? [String: Int]) == ["n": 9])
        #expect((third["rev"] as? String)?.hasPrefix("2-") == true)
        try tool.lines("rm", "db", "a")
        let fourth = try object(watch.waitForOutput(lines: 4)[3])
        #expect(fourth["deleted"] as? Bool == true && fourth["body"] is NSNull)
        watch.kill(SIGINT)
        #expect(watch.waitUntilExit().exitCode == 0)
    }

    @Test("watch prints only the requested documents, and ends after a number of changes")
    func filtered() throws {
        #expect(try tool.lines("watch", "db", "--since", "0", "--id", "[bc]", "--ids", "--limit", "2") == ["b", "c"])
        #expect(try tool.lines("watch", "db", "--since", "0", "--id", "c", "--id", "a", "--ids", "--limit", "1") == ["a"])
        try tool.expectFailure(64, "Give one of", "watch", "db", "--ids", "--bodies")
        try tool.expectFailure(66, "no collection", "watch", "db", "-c", "x")
    }
}
