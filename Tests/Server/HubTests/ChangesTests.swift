#if Replication
import Foundation
import Testing
import TestTraits

@Suite("REST of a hub: changes", .ownThreads)
struct ChangesTests {
    @Test("the feed lists each document once, in the order of the last changes")
    func normal() async throws {
        try await withHub { hub in
            let first = try await hub.send("PUT", "/db/a", #"{"n":1}"#)
            _ = try await hub.send("PUT", "/db/b", "{}")
            let second = try await hub.send("PUT", "/db/a?rev=\(first.revision)", #"{"n":2}"#)
            let feed = try await hub.send("GET", "/db/_changes?include_docs=true")
            let results = feed.object["results"] as? [[String: Any]] ?? []
            #expect(results.map { $0["id"] as? String } == ["b", "a"])
            #expect(results.map { $0["seq"] as? Int } == [2, 3])
            #expect((results.last?["changes"] as? [[String: String]])?.first?["rev"] == second.revision)
            #expect((results.last?["doc"] as? [String: Any])?["n"] as? Int == 2)
            #expect(feed.object["last_seq"] as? String == "3")
            let limited = try await hub.send("GET", "/db/_changes?limit=1")
            #expect(limited.object["last_seq"] as? String == "2")
            #expect(try await hub.send("GET", "/db/_changes?since=2").text.contains(#""id":"a""#))
            let removed = (results.first?["changes"] as? [[String: String]])?.first?["rev"] ?? ""
            _ = try await hub.send("DELETE", "/db/b?rev=\(removed)")
            #expect(try await hub.send("GET", "/db/_changes?since=3").text.contains(#""deleted":true"#))
            #expect(try await !hub.send("GET", "/db/_changes?since=3&active_only=true").text.contains(#""id""#))
            let chosen = try await hub.send("POST", "/db/_changes", #"{"filter":"_doc_ids","doc_ids":["a"]}"#)
            #expect((chosen.object["results"] as? [Any])?.count == 1)
            #expect(try await hub.send("GET", "/db/_changes?filter=other").status == 400)
            #expect(try await hub.send("POST", "/db/_changes", #"{"filter":"_doc_ids","doc_ids":["a",1]}"#).status == 400)
            #expect(try await hub.send("POST", "/db/_changes", #"{"filter":"_doc_ids"}"#).status == 400)
            #expect(try await hub.send("POST", "/db/_changes?filter=_doc_ids").status == 400)
            #expect(try await hub.send("GET", "/db/_changes?filter=_doc_ids").status == 400)
            #expect(try await hub.send("GET", "/db/_changes?since=x").status == 400)
        }
    }

    @Test("a long poll waits for a change, or for its timeout")
    func longpoll() async throws {
        try await withHub { hub in
            #expect(try await hub.send("GET", "/db/_changes?feed=longpoll&timeout=50").object["last_seq"] as? String == "0")
            async let waiting = hub.send("GET", "/db/_changes?feed=longpoll&heartbeat=60000")
            _ = try await hub.send("PUT", "/db/a", "{}")
            #expect(try await waiting.text.contains(#""id":"a""#))
        }
    }

    @Test("a continuous feed sends changes as they are made")
    func continuous() async throws {
        try await withHub { hub in
            _ = try await hub.send("PUT", "/db/a", "{}")
            async let lines = hub.send("GET", "/db/_changes?feed=continuous&limit=3")
            _ = try await hub.send("PUT", "/db/b", "{}")
            _ = try await hub.send("PUT", "/db/c", "{}")
            #expect(try await lines.text.split(separator: "\n").count == 3)
        }
    }
}
#endif
