import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import cblite

@Suite("cblite tombstones and cblite expire")
struct TombstonesAndExpirationTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.makeDatabase()
    }

    private func tombstones() throws -> [String?] {
        try tool.lines("tombstones", "ls", "db", "--json").map { try object($0)["id"] as? String }
    }

    @Test("tombstones are listed in the order of their sequences, and purged before a sequence")
    func purging() throws {
        try tool.lines("rm", "db", "b")
        try tool.lines("rm", "db", "a")
        #expect(try tombstones() == ["b", "a"])
        #expect(try tool.lines("tombstones", "purge", "db", "--before", "5", "--dry-run") == ["1 tombstone would be purged."])
        #expect(try tombstones() == ["b", "a"])
        #expect(try tool.lines("tombstones", "purge", "db", "--before", "5") == ["Purged 1 tombstone."])
        #expect(try tombstones() == ["a"])
        #expect(try tool.lines("ls", "db", "--deleted") == ["a", "c"])
        #expect(try tool.lines("check", "db").last == "No problems found.")
    }

    @Test("the age of tombstones is known only after a time was recorded")
    func age() throws {
        try tool.lines("rm", "db", "a")
        try tool.expectFailure(66, "tombstones contain no time", "tombstones", "purge", "db", "--older-than", "90d")
        #expect(try object(try tool.lines("tombstones", "ls", "db", "--json")[0])["existedAt"] is NSNull)
        let mark = try object(try #require(try tool.lines("tombstones", "mark", "db", "--json").first))
        #expect(try object(try tool.lines("tombstones", "ls", "db", "--json")[0])["existedAt"] as? String == mark["time"] as? String)
        try tool.lines("rm", "db", "b")
        try tool.expectFailure(66, "tombstones contain no time", "tombstones", "purge", "db", "--older-than", "90d")
        // Of the two tombstones, only one existed when the time was recorded.
        #expect(try tool.lines("tombstones", "purge", "db", "--older-than", "0s") == ["Purged 1 tombstone."])
        #expect(try tombstones() == ["b"])
        #expect(try tool.lines("check", "db").last == "No problems found.")
        #expect(try tool.lines("tombstones", "purge", "db", "--older-than", "0s") == ["Purged 1 tombstone."])
        try tool.expectFailure(64, "Give one of", "tombstones", "purge", "db")
        try tool.expectFailure(64, "is not a time such as", "tombstones", "purge", "db", "--older-than", "90")
    }

    @Test("an expiration time is set, shown, listed and removed")
    func expiration() throws {
        #expect(try tool.lines("expire", "db", "a") == ["a does not expire"])
        #expect(try tool.lines("expire", "db", "a", "--at", "2100-01-02T03:04:05Z") == ["a expires at 2100-01-02T03:04:05.000Z"])
        #expect(try tool.lines("expire", "db", "b", "--in", "30d").count == 1)
        let listed = try tool.lines("expire", "db", "--json").map { try object($0) }
        #expect(listed.map { $0["id"] as? String } == ["b", "a"])
        #expect(listed[1]["expiration"] as? String == "2100-01-02T03:04:05.000Z")
        #expect(try tool.lines("expire", "db", "b", "--never") == ["b does not expire"])
        #expect(try tool.lines("expire", "db").count == 2)
        try tool.expectFailure(66, "no document", "expire", "db", "x", "--never")
        try tool.expectFailure(64, "Give one of", "expire", "db", "a", "--never", "--in", "1d")
        try tool.expectFailure(64, "is not a time", "expire", "db", "a", "--at", "tomorrow")
        try tool.expectFailure(64, "need the ID", "expire", "db", "--never")
    }

    @Test("--purge-now purges the documents that have expired")
    func purgeNow() throws {
        try tool.lines("expire", "db", "a", "--at", "2100-01-01")
        #expect(try tool.lines("expire", "db", "--purge-now") == ["Purged 0 documents."])
        // Not with the tool, which may purge the document before it ends.
        let connection = try Connection(path: tool.directory.path("db.cblite2/db.sqlite3"), mode: .readWrite)
        try connection.execute("UPDATE kv_default SET expiration = 1000 WHERE key = 'b'")
        try connection.close()
        #expect(try tool.lines("expire", "db").contains { $0.hasPrefix("1970-01-01T00:00:01.000Z") })
        #expect(try tool.lines("expire", "db", "--purge-now", "--json") == [#"{"id":"b","purged":true}"#])
        #expect(try tool.lines("ls", "db", "--deleted") == ["a", "c"])
    }

    @Test(
        "durations are numbers with units",
        arguments: [
            ("90s", 90), ("1.5h", 5400), ("1h30m", 5400), ("2d", 172_800), ("1w", 604_800), ("5", nil), ("d", nil), ("", nil), ("1y", nil),
            ("-1d", nil), ("99999999w", nil),
        ] as [(String, Double?)]
    )
    func durations(text: String, seconds: Double?) {
        #expect(DurationArgument.seconds(text) == seconds)
    }

    @Test("times are ISO 8601, with or without an offset")
    func times() {
        let noon = Date(timeIntervalSince1970: 1_767_268_800)
        #expect(TimeArgument.date("2026-01-01T12:00:00Z") == noon)
        #expect(TimeArgument.date("2026-01-01 13:00:00.000+01:00") == noon)
        #expect(TimeArgument.date("2026-01-01T12:00") != nil && TimeArgument.date("2026-01-01") != nil)
        #expect(TimeArgument.date("1.1.2026") == nil && TimeArgument.date("") == nil)
        #expect(TimeArgument.date("99999999-01-01T00:00:00Z") == nil && TimeArgument.date("20260-01-01") == nil)
        #expect(TimeArgument.text(milliseconds: 1_767_268_800_123) == "2026-01-01T12:00:00.123Z")
    }
}
