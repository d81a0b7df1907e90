#if Replication
import Fleece
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Hub

@Suite("The expiration of documents of a hub", .ownThreads)
struct DocumentExpirationTests {
    private static let now: Int64 = 1_700_000_000_000

    private func expiration(_ json: String) throws -> DocumentExpiration {
        try withJSONObject(Array(#"{"_exp":\#(json)}"#.utf8)) { try DocumentExpiration($0, now: Self.now) }
    }

    @Test(
        "the property is a number of seconds, from now if it is less than 30 days, or a time",
        arguments: [
            ("5", .at(now + 5000)), ("2591999", .at(now + 2_591_999_000)), ("2592000", .at(2_592_000_000)),
            ("4077433455", .at(4_077_433_455_000)), (#""10""#, .at(now + 10_000)), ("7.0", .at(now + 7000)),
            (#""2050-12-31T01:52:35+12:00""#, .at(2_556_021_155_000)), (#""2030-01-31T12:00:00Z""#, .at(1_896_091_200_000)),
            ("253402300799", .at(253_402_300_799_000)), ("0", .never), ("null", .never),
        ] as [(String, DocumentExpiration)]
    )
    func values(json: String, wanted: DocumentExpiration) throws {
        #expect(try expiration(json) == wanted)
    }

    @Test(
        "other values are refused",
        arguments: [
            "-1", "1.5", "true", "[]", "{}", #""soon""#, #""2030-01-31""#, #""12:00Z""#, #""2030-01-31T12:00:00""#, "253402300800", "1e300",
            "18446744073709551615", #""99999999999999999999""#, #""1960-01-01T00:00:00Z""#, #""""#,
        ]
    )
    func refused(json: String) async throws {
        #expect(throws: (any Error).self) { try expiration(json) }
    }

    @Test("a document expires at the time of its last revision, and shows it on request")
    func documents() async throws {
        try await withHub { hub in
            let first = try await hub.send("PUT", "/db/a", #"{"_exp":"2050-12-31T01:52:35+12:00","n":1}"#)
            #expect(first.status == 201)
            let plain = try await hub.send("GET", "/db/a")
            #expect(plain.object["_exp"] == nil && plain.object["n"] as? Int == 1)
            #expect(try await hub.send("GET", "/db/a?show_exp=true").object["_exp"] as? String == "2050-12-30T13:52:35Z")
            let wanted = #"{"docs":[{"id":"a"}]}"#
            #expect(try await hub.send("POST", "/db/_bulk_get?show_exp=true", wanted).text.contains(#""_exp":"2050-12-30T13:52:35Z""#))
            // An attachment changes only a part of the document.
            let second = try await hub.send("PUT", "/db/a/x?rev=\(first.revision)", "text", headers: ["Content-Type": "text/plain"])
            #expect(try await hub.send("GET", "/db/a?show_exp=true").object["_exp"] as? String == "2050-12-30T13:52:35Z")
            let third = try await hub.send("PUT", "/db/a?rev=\(second.revision)", #"{"n":2}"#)
            #expect(third.status == 201)
            #expect(try await hub.send("GET", "/db/a?show_exp=true").object["_exp"] == nil)
            let bulk = #"{"docs":[{"_id":"b","_exp":4077433455},{"_id":"c","_exp":"soon"}]}"#
            let stored = try await hub.send("POST", "/db/_bulk_docs", bulk)
            #expect(stored.array.map { $0["status"] as? Int } == [nil, 400])
            #expect(try await hub.send("GET", "/db/b?show_exp=true").object["_exp"] as? String == "2099-03-17T12:24:15Z")
        }
    }

    @Test("a document whose time has come is purged")
    func purging() async throws {
        try await withHub { hub in
            #expect(try await hub.send("PUT", "/db/a", #"{"_exp":"2001-01-01T00:00:00Z"}"#).status == 201)
            while try await hub.send("GET", "/db/a").status == 200 {}
            #expect(try await hub.send("GET", "/db/a").object["reason"] as? String == "missing")
            // So is a tombstone.
            let tombstone = try await hub.send("PUT", "/db/b", #"{"_deleted":true,"_exp":4077433455}"#)
            let shown = try await hub.send("GET", "/db/b?show_exp=true&rev=\(tombstone.revision)")
            #expect(shown.object["_exp"] as? String == "2099-03-17T12:24:15Z")
            _ = try await hub.send("PUT", "/db/b?rev=\(tombstone.revision)", #"{"_deleted":true,"_exp":"2001-01-01T00:00:00Z"}"#)
            while try await hub.send("GET", "/db/b").object["reason"] as? String == "deleted" {}
            #expect(try await hub.send("GET", "/db/b").object["reason"] as? String == "missing")
        }
    }
}
#endif
