#if Replication
import BLIP
import DocumentStore
import Fleece
import Foundation
import Replication
import TestSupport
import TestTraits
import Testing

@testable import Hub

@Suite("REST of a hub: revisions", .ownThreads)
struct RevisionRequestsTests {
    private static let json = ["Accept": "application/json", "Content-Type": "application/json"]

    /// Returns what `_bulk_get` responds for each document, in JSON.
    private func bulkGet(_ hub: RunningHub, _ docs: String, _ query: String = "", user: String? = nil) async throws -> [[String: Any]] {
        let answer = try await hub.send("POST", "/db/_bulk_get\(query)", #"{"docs":\#(docs)}"#, user: user, headers: Self.json)
        let results = answer.object["results"] as? [[String: Any]] ?? []
        return results.compactMap { ($0["docs"] as? [[String: Any]])?.first }.map { $0["ok"] as? [String: Any] ?? $0 }
    }

    // MARK: _revs_diff

    @Test("the revisions that are missing are named with the leaves to which they may be added")
    func differences() async throws {
        try await withHub { hub in
            let first = try await hub.send("PUT", "/db/a", #"{"n":1}"#).revision
            let second = try await hub.send("PUT", "/db/a?rev=\(first)", #"{"n":2}"#).revision
            let body = #"{"a":["\#(first)","\#(second)","3-aa","1-bb"],"known":["1-aa"],"b":["1-aa","nonsense"],"old":["\#(first)"]}"#
            let answer = try await hub.send("POST", "/db/_revs_diff", body)
            #expect(answer.status == 200)
            let result = answer.object as? [String: [String: [String]]]
            #expect(
                result == [
                    "a": ["missing": ["3-aa", "1-bb"], "possible_ancestors": [second]], "known": ["missing": ["1-aa"]],
                    "b": ["missing": ["1-aa", "nonsense"]], "old": ["missing": [first]],
                ]
            )
            #expect(try await hub.send("POST", "/db/_revs_diff", #"{"a":["\#(first)","\#(second)"]}"#).text == "{}")
            #expect(try await hub.send("POST", "/db/_revs_diff", "{}").text == "{}")
            for body in ["[]", #"{"a":"1-aa"}"#, #"{"a":[1]}"#, "", "nonsense"] {
                #expect(try await hub.send("POST", "/db/_revs_diff", body).status == 400, "\(body)")
            }
        }
    }

    // MARK: Removed revisions

    private func addUsers(_ hub: RunningHub) throws {
        for (name, channels) in [("root", ["*"]), ("anna", ["a"]), ("eve", ["e"])] {
            #expect(try hub.hub.users.add(name, password: "secret", channels: channels))
        }
    }

    /// Returns the row of a document in the feed of a user.
    private func row(_ id: String, of user: String, _ hub: RunningHub) async throws -> [String: Any]? {
        let changes = try await hub.send("GET", "/db/_changes?since=0&revocations=true", user: user)
        return (changes.object["results"] as? [[String: Any]])?.first { $0["id"] as? String == id }
    }

    @Test("a revision that the feed lists as removed is returned as removed to who was able to read the document, and to nobody else")
    func removed() async throws {
        try await withHub { hub in
            try addUsers(hub)
            let first = try await hub.send("PUT", "/db/x", #"{"channels":["a"],"text":"SECRET"}"#, user: "root").revision
            #expect(try await row("x", of: "anna", hub) != nil)
            let second = try await hub.send("PUT", "/db/x?rev=\(first)", #"{"channels":["b"],"text":"SECRET"}"#, user: "root").revision
            // Without a feed since the change.
            let early = try await hub.send("GET", "/db/x?rev=\(second)", user: "anna")
            #expect(early.status == 200)
            let row = try await row("x", of: "anna", hub)
            #expect(row?["removed"] as? [String] == ["a"])
            #expect((row?["changes"] as? [[String: String]])?.first?["rev"] == second)
            for revision in [second, first] {
                let answer = try await hub.send("GET", "/db/x?rev=\(revision)&revs=true", user: "anna")
                #expect(answer.status == 200)
                #expect(answer.object["_removed"] as? Bool == true && answer.object["_rev"] as? String == revision)
                #expect(Set(answer.object.keys) == ["_id", "_rev", "_removed", "_revisions"])
                let bulk = try await bulkGet(hub, #"[{"id":"x","rev":"\#(revision)"}]"#, user: "anna")
                #expect(bulk.first?["_removed"] as? Bool == true)
                let open = try await hub.send("GET", "/db/x?open_revs=%5B%22\(revision)%22%5D", user: "anna")
                #expect((open.array.first?["ok"] as? [String: Any])?["_removed"] as? Bool == true)
                #expect(try await hub.send("GET", "/db/x?rev=\(revision)", user: "eve").status == 403)
                #expect(try await hub.send("GET", "/db/x?open_revs=%5B%22\(revision)%22%5D", user: "eve").status == 403)
            }
            // What is not known stays unknown, and the document itself is not readable.
            for path in ["x", "x?rev=9-aa", "x/f?rev=\(second)", "x?open_revs=all"] {
                #expect(try await hub.send("GET", "/db/\(path)", user: "anna").status == 403, "\(path)")
            }
            let third = try await hub.send("PUT", "/db/x?rev=\(second)", #"{"channels":["b"],"text":"SECRET2"}"#, user: "root").revision
            #expect(try await hub.send("GET", "/db/x?rev=\(third)", user: "anna").object["_removed"] as? Bool == true)
            // The user loses a channel.
            let other = try await hub.send("PUT", "/db/y", #"{"channels":["a"]}"#, user: "root").revision
            #expect(try await self.row("y", of: "anna", hub) != nil)
            #expect(try hub.hub.users.change("anna", channels: ["c"]))
            #expect(try await hub.send("GET", "/db/y?rev=\(other)", user: "anna").object["_removed"] as? Bool == true)
            // A document that came into the channel after the loss was never readable.
            let late = try await hub.send("PUT", "/db/z", #"{"channels":["a"]}"#, user: "root").revision
            #expect(try await hub.send("GET", "/db/z?rev=\(late)", user: "anna").status == 403)
        }
    }

    @Test("a revision that a user may not read of a document that the user reads again is returned as removed")
    func removedBetween() async throws {
        try await withHub { hub in
            try addUsers(hub)
            var revisions: [String] = []
            for channel in ["a", "b", "a"] {
                let query = revisions.last.map { "?rev=\($0)" } ?? ""
                let body = #"{"channels":["\#(channel)"],"text":"\#(channel)"}"#
                revisions.append(try await hub.send("PUT", "/db/x\(query)", body, user: "root").revision)
            }
            #expect(try await hub.send("GET", "/db/x?rev=\(revisions[0])", user: "anna").object["text"] as? String == "a")
            #expect(try await hub.send("GET", "/db/x?rev=\(revisions[1])", user: "anna").object["_removed"] as? Bool == true)
            #expect(try await hub.send("GET", "/db/x?rev=\(revisions[2])", user: "anna").object["text"] as? String == "a")
        }
    }

    // MARK: Replaced revisions

    @Test("a revision that was replaced a moment ago is readable with its attachments, whoever has replaced it")
    func replaced() async throws {
        try await withHub { hub in
            let first = try await hub.send("PUT", "/db/x", #"{"n":1,"_attachments":{"f":{"data":"aGVsbG8="}}}"#).revision
            let second = try await hub.send("PUT", "/db/x?rev=\(first)", #"{"n":2}"#).revision
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            let client = try await MessageClient(port: hub.port, user: "root")
            #expect(try await client.ask("rev", [("id", "x"), ("rev", "3-aa"), ("history", second)], #"{"n":3}"#).error == nil)
            #expect(try hub.hub.users.remove("root"))
            #expect(try await hub.send("DELETE", "/db/x?rev=3-aa").status == 200)
            for (number, revision) in [(1, first), (2, second), (3, "3-aa")] {
                let found = try await hub.send("GET", "/db/x?rev=\(revision)&revs=true")
                #expect(found.object["n"] as? Int == number)
                #expect((found.object["_revisions"] as? [String: Any])?["start"] as? Int == number)
                #expect(try await bulkGet(hub, #"[{"id":"x","rev":"\#(revision)"}]"#).first?["n"] as? Int == number)
                let open = try await hub.send("GET", "/db/x?open_revs=%5B%22\(revision)%22%5D")
                #expect((open.array.first?["ok"] as? [String: Any])?["n"] as? Int == number)
            }
            #expect(try await hub.send("GET", "/db/x/f?rev=\(first)").text == "hello")
            #expect(try await hub.send("GET", "/db/x?rev=\(first)&attachments=true").text.contains("aGVsbG8="))
            #expect(try await hub.send("GET", "/db/x").status == 404)
            #expect(try await hub.send("GET", "/db/x?rev=1-00").status == 404)
        }
    }

    @Test("a replaced revision is readable only in the user's channels")
    func replacedAccess() async throws {
        try await withHub { hub in
            try addUsers(hub)
            let first = try await hub.send("PUT", "/db/x", #"{"channels":["b"],"text":"SECRET"}"#, user: "root").revision
            #expect(try await hub.send("PUT", "/db/x?rev=\(first)", #"{"channels":["a"]}"#, user: "root").status == 201)
            let answer = try await hub.send("GET", "/db/x?rev=\(first)", user: "anna")
            #expect(!answer.text.contains("SECRET"))
            #expect(try await hub.send("GET", "/db/x?rev=\(first)", user: "root").text.contains("SECRET"))
        }
    }

    // MARK: Tombstones

    @Test("a tombstone keeps the properties that it was stored with, and the channels of the document")
    func tombstone() async throws {
        try await withHub { hub in
            try addUsers(hub)
            let first = try await hub.send("PUT", "/db/x", #"{"channels":["a"],"n":1}"#, user: "anna").revision
            let body = #"{"_rev":"\#(first)","_deleted":true,"why":"x"}"#
            let deleted = try await hub.send("PUT", "/db/x", body, user: "anna")
            #expect(deleted.status == 201)
            let found = try await hub.send("GET", "/db/x?rev=\(deleted.revision)", user: "anna").object
            #expect(found["why"] as? String == "x" && found["_deleted"] as? Bool == true && found["n"] == nil)
            #expect(found["channels"] as? [String] == ["a"])
            let bulk = #"{"docs":[{"_id":"x","channels":["a"]}]}"#
            let again = try await hub.send("POST", "/db/_bulk_docs", bulk, user: "anna").array.first?["rev"] as? String ?? ""
            let list = #"{"docs":[{"_id":"x","_rev":"\#(again)","_deleted":true,"why":{"a":[1]}}]}"#
            let gone = try await hub.send("POST", "/db/_bulk_docs", list, user: "anna").array.first?["rev"] as? String ?? ""
            let last = try await hub.send("GET", "/db/x?rev=\(gone)", user: "anna").object
            #expect((last["why"] as? [String: [Int]]) == ["a": [1]])
        }
    }

    @Test("the channels of a tombstone are added to what it contains at the path of the rule")
    func tombstoneOfRule() throws {
        func body(_ json: String) throws -> OwnedBody {
            OwnedBody(try FleeceData.parsing(json: Array(json.utf8)))
        }
        let rule = ChannelRule(property: ["meta", "tags"])
        let current = try body(#"{"meta":{"tags":["a","b"],"x":1},"y":2}"#)
        for (sent, stored) in [
            ("{}", #"{"meta":{"tags":["a","b"]}}"#), (#"{"why":1}"#, #"{"meta":{"tags":["a","b"]},"why":1}"#),
            (#"{"meta":{"z":3}}"#, #"{"meta":{"tags":["a","b"],"z":3}}"#),
            (#"{"meta":"text","w":0}"#, #"{"meta":{"tags":["a","b"]},"w":0}"#),
            (#"{"meta":{"tags":5,"z":[{}]}}"#, #"{"meta":{"tags":["a","b"],"z":[{}]}}"#),
            (#"{"meta":{"tags":"c"},"n":1}"#, #"{"meta":{"tags":"c"},"n":1}"#),
        ] {
            let result = try rule.tombstone(body(sent), over: (current.data, current.keys))
            let json = try #require(try result.data.withRoot { try JSON.bytes($0, sharedKeys: result.keys) })
            let (found, wanted) = (
                try JSONSerialization.jsonObject(with: Data(json)), try JSONSerialization.jsonObject(with: Data(stored.utf8))
            )
            #expect(found as? NSDictionary == wanted as? NSDictionary, "\(sent)")
        }
        let none = try body(#"{"y":2}"#)
        let kept = try rule.tombstone(body(#"{"why":1}"#), over: (none.data, none.keys))
        #expect(kept.data.withRoot { $0.dictionary?.value(for: "why")?.integerBits } == 1)
    }

    // MARK: IDs of revisions

    @Test(
        "the ID of a revision with an odd number of digits, or uppercase ones, is kept as it was sent",
        arguments: ["1-abc", "1-ABCDEF", "1-aB", "1-0"]
    )
    func unusualIDs(revision: String) async throws {
        try await withHub { hub in
            let stored = try await hub.send("PUT", "/db/x?new_edits=false", #"{"_rev":"\#(revision)","n":1}"#)
            #expect(stored.status == 201 && stored.revision == revision)
            #expect(try await hub.send("GET", "/db/x").object["_rev"] as? String == revision)
            #expect(try await hub.send("GET", "/db/x?rev=\(revision)").object["n"] as? Int == 1)
            #expect(try await hub.send("GET", "/db/_changes").text.contains(#"{"rev":"\#(revision)"}"#))
            #expect(try await hub.send("POST", "/db/_revs_diff", #"{"x":["\#(revision)"]}"#).text == "{}")
            let digest = revision.dropFirst(2)
            let list = #"{"docs":[{"_id":"x","_rev":"2-Fed","_revisions":{"start":2,"ids":["Fed","\#(digest)"]},"n":2}],"new_edits":false}"#
            #expect(try await hub.send("POST", "/db/_bulk_docs", list).array.first?["rev"] as? String == "2-Fed")
            let history = try await hub.send("GET", "/db/x?revs=true").object["_revisions"] as? [String: Any]
            #expect(history?["ids"] as? [String] == ["Fed", String(digest)])
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            let local = try SyncingClient(hub, user: "root")
            #expect(try await local.sync() == nil)
            #expect(try local.ids() == ["x"])
            #expect(try hub.hub.users.remove("root"))
            let other = digest.lowercased() == digest ? digest.uppercased() : digest.lowercased()
            if other != digest { #expect(try await hub.send("GET", "/db/x?rev=1-\(other)").status == 404) }
            #expect(try await hub.send("PUT", "/db/x?rev=2-Fed", #"{"n":3}"#).status == 201)
        }
    }

    @Test("a revision that is not known is a conflict or missing, and one that is not valid is not taken for a missing one")
    func unknownIDs() async throws {
        try await withHub { hub in
            _ = try await hub.send("PUT", "/db/x", "{}")
            for revision in ["1-ABC", "1-abc", "9-0"] {
                #expect(try await hub.send("GET", "/db/x?rev=\(revision)").status == 404, "\(revision)")
                #expect(try await hub.send("PUT", "/db/x?rev=\(revision)", "{}").status == 409, "\(revision)")
                #expect(try await hub.send("DELETE", "/db/x?rev=\(revision)").status == 409, "\(revision)")
            }
            for revision in ["nonsense", "1-", "0-aa", "1-xyz"] {
                #expect(try await hub.send("GET", "/db/x?rev=\(revision)").status == 400, "\(revision)")
                let refused = try await hub.send("PUT", "/db/x?new_edits=false", #"{"_rev":"\#(revision)"}"#)
                #expect(refused.status == 400 && (refused.object["reason"] as? String)?.contains("requires") == false, "\(refused.text)")
            }
            #expect(try await hub.send("PUT", "/db/x?new_edits=false", "{}").text.contains("requires _rev or _revisions"))
        }
    }

    // MARK: Parts of documents

    @Test("a client gets the part of the history and the attachments that it does not have")
    func knownRevisions() async throws {
        try await withHub { hub in
            var revisions: [String] = []
            for (index, file) in ["f1", "f2", "f3", "f4"].enumerated() {
                let query = revisions.last.map { "?rev=\($0)" } ?? ""
                let stubs = (0..<index).map { #""f\#($0 + 1)":{"stub":true}"# } + [#""\#(file)":{"data":"aGVsbG8="}"#]
                let body = #"{"_attachments":{\#(stubs.joined(separator: ","))}}"#
                revisions.append(try await hub.send("PUT", "/db/x\(query)", body).revision)
            }
            let ids = revisions.reversed().map { String($0.dropFirst(2)) }
            func history(_ query: String) async throws -> [String]? {
                let found = try await hub.send("GET", "/db/x?revs=true&\(query)").object
                return (found["_revisions"] as? [String: Any])?["ids"] as? [String]
            }
            func list(_ chosen: [String]) -> String { "%5B" + chosen.map { "%22\($0)%22" }.joined(separator: ",") + "%5D" }
            #expect(try await history("revs_limit=2") == Array(ids.prefix(2)))
            #expect(try await history("revs_limit=100") == ids)
            #expect(try await history("revs_limit=0") == [])
            #expect(try await history("revs_from=\(list([revisions[1]]))") == Array(ids.prefix(3)))
            #expect(try await history("revs_from=\(list([revisions[0], revisions[2]]))") == Array(ids.prefix(2)))
            #expect(try await history("revs_from=\(list(["7-aa"]))") == ids)
            #expect(try await history("atts_since=\(list([revisions[2]]))&revs_limit=9") == Array(ids.prefix(2)))
            func stubs(_ found: [String: Any]) -> [String] {
                let entries = found["_attachments"] as? [String: [String: Any]] ?? [:]
                return entries.filter { $0.value["stub"] as? Bool == true && $0.value["data"] == nil }.keys.sorted()
            }
            for (known, expected) in [
                ([revisions[1]], ["f1", "f2"]), ([revisions[0], revisions[2]], ["f1", "f2", "f3"]), (["7-aa"], []), ([], []),
            ] {
                let found = try await hub.send("GET", "/db/x?attachments=true&atts_since=\(list(known))").object
                #expect(stubs(found) == expected, "\(known)")
                let names = known.map { #""\#($0)""# }.joined(separator: ",")
                let bulk = try await bulkGet(hub, #"[{"id":"x","atts_since":[\#(names)]}]"#, "?attachments=true&revs=true&revs_limit=3")
                #expect(stubs(bulk.first ?? [:]) == expected, "\(known)")
            }
            for query in ["revs_limit=-1", "revs_limit=x", "atts_since=x", "revs_from=5", "atts_since=%5B1%5D"] {
                #expect(try await hub.send("GET", "/db/x?revs=true&\(query)").status == 400, "\(query)")
            }
        }
    }

    @Test("the state of the revisions of a document is part of it on request")
    func meta() async throws {
        try await withHub { hub in
            let first = try await hub.send("PUT", "/db/x", #"{"n":1}"#).revision
            let second = try await hub.send("PUT", "/db/x?rev=\(first)", #"{"n":2}"#).revision
            let found = try await hub.send("GET", "/db/x?meta=true").object
            let states = found["_revs_info"] as? [[String: String]]
            #expect(states == [["rev": second, "status": "available"], ["rev": first, "status": "missing"]])
            #expect(found["_conflicts"] == nil && found["_deleted_conflicts"] == nil && found["n"] as? Int == 2)
            #expect(try await hub.send("GET", "/db/x").object["_revs_info"] == nil)
        }
    }
}
#endif
