#if Replication
import DocumentStore
import Foundation
import Replication
import SQLiteEngine
import TestSupport
import TestTraits
import Testing

@testable import Hub

@Suite("REST of a hub: the IDs of versions", .ownThreads)
struct NamesOfVersionsTests {
    private static let json = ["Accept": "application/json", "Content-Type": "application/json"]

    /// Runs `body` with a hub whose database `db` has version vectors.
    private func withVectors(_ body: (RunningHub) async throws -> Void) async throws {
        let prepare = { (options: inout HubOptions) in
            do {
                let file = try DatabaseRegistry.open(options.directory + "/db.cblite2")
                try file.upgradeToVersionVectors()
                try DatabaseRegistry.close(file)
            } catch {
                Issue.record(error)
            }
        }
        try await withHub(prepare) { try await body($0) }
    }

    /// Runs SQL like another process.
    private func run(_ sql: String, on bundle: String) throws {
        let connection = try Connection(path: bundle + "/db.sqlite3", mode: .readWrite)
        try connection.execute(sql)
        try connection.close()
    }

    // MARK: Revisions made elsewhere

    @Test("the response to a revision that is known already has the version only if the revision is the current one")
    func knownRevisions() async throws {
        try await withVectors { hub in
            func push(_ body: String) async throws -> RunningHub.Answer { try await hub.send("PUT", "/db/a?new_edits=false", body) }
            let (first, second) = (#"{"_rev":"1-aa","n":1}"#, #"{"_revisions":{"start":2,"ids":["bb","aa"]},"n":2}"#)
            let stored = try await push(first)
            let version = try #require(stored.object["cv"] as? String)
            let again = try await push(first)
            #expect(again.status == 201 && again.object["cv"] as? String == version)
            let next = try await push(second)
            let nextVersion = try #require(next.object["cv"] as? String)
            #expect(nextVersion != version)
            // With the version of the second revision, the client would replace it although it has not seen it.
            let known = try await push(first)
            #expect(known.status == 201 && known.revision == "1-aa" && known.object["cv"] == nil)
            let bulk = try await hub.send("POST", "/db/_bulk_docs", #"{"new_edits":false,"docs":[{"_id":"a","_rev":"1-aa","n":1}]}"#)
            #expect(bulk.array.first?["ok"] as? Bool == true && bulk.array.first?["cv"] == nil)
            let read = try await hub.send("GET", "/db/a?show_cv=true").object
            #expect(read["n"] as? Int == 2 && read["_cv"] as? String == nextVersion)
        }
    }

    @Test("a revision whose generation leaves none for others is refused with the reason, also in a database with revision trees")
    func generations() async throws {
        let reason = "The generation of the revision is too high: no other one could follow it"
        for hasVectors in [true, false] {
            let check = { (hub: RunningHub) in
                for generation in ["1152921504606846976", "4611686018427387904"] {
                    let body = #"{"_rev":"\#(generation)-aa"}"#
                    let answer = try await hub.send("PUT", "/db/a?new_edits=false", body)
                    #expect(answer.status == 400 && answer.object["reason"] as? String == reason)
                    let list = #"{"new_edits":false,"docs":[{"_id":"a","_rev":"\#(generation)-aa"}]}"#
                    let bulk = try await hub.send("POST", "/db/_bulk_docs", list)
                    #expect(bulk.array.first?["status"] as? Int == 400 && bulk.array.first?["reason"] as? String == reason)
                }
                let missing = try await hub.send("GET", "/db/a")
                #expect(missing.status == 404)
                // The highest possible one, and changes after it.
                var revision = "1152921504606846975-aa"
                let stored = try await hub.send("PUT", "/db/a?new_edits=false", #"{"_rev":"\#(revision)"}"#)
                #expect(stored.status == 201)
                for number in 0..<3 {
                    let answer = try await hub.send("PUT", "/db/a?rev=\(revision)", #"{"n":\#(number)}"#)
                    #expect(answer.status == 201 && answer.revision.hasPrefix("115292150460684697\(6 + number)-"))
                    revision = answer.revision
                }
            }
            if hasVectors { try await withVectors(check) } else { try await withHub { try await check($0) } }
        }
    }

    // MARK: Damaged documents

    @Test("a document whose IDs are damaged does not keep the other documents out of lists, and its own requests say that it is damaged")
    func damaged() async throws {
        try await withVectors { hub in
            var revisions: [String: String] = [:]
            for id in ["a", "b", "c"] {
                let revision = try await hub.send("PUT", "/db/\(id)", #"{"n":1}"#).revision
                revisions[id] = try await hub.send("PUT", "/db/\(id)?rev=\(revision)", #"{"n":2}"#).revision
            }
            // A number in place of the list.
            let damage = "UPDATE kv_default SET extra = x'000000007001415e0000600180048002' WHERE key = 'b'"
            try run(damage, on: hub.directory.path("db.cblite2"))
            for query in ["", "?include_docs=true", "?startkey=%22b%22&include_docs=true", "?limit=2"] {
                let rows = try await hub.send("GET", "/db/_all_docs\(query)").object["rows"] as? [[String: Any]]
                #expect(rows?.map { $0["id"] as? String } == (query.contains("startkey") ? ["c"] : ["a", "c"]), "\(query)")
            }
            let byKey = try await hub.send("POST", "/db/_all_docs?include_docs=true", #"{"keys":["a","b","c"]}"#)
            #expect((byKey.object["rows"] as? [[String: Any]])?.map { $0["error"] as? String } == [nil, "not_found", nil])
            for query in ["", "?include_docs=true", "?style=all_docs"] {
                let changes = try await hub.send("GET", "/db/_changes\(query)").object
                #expect((changes["results"] as? [[String: Any]])?.map { $0["id"] as? String } == ["a", "c"], "\(query)")
                #expect(changes["last_seq"] as? String == "6")
            }
            let wanted = #"{"docs":[{"id":"a"},{"id":"b"},{"id":"c"}]}"#
            let parts = try await hub.send("POST", "/db/_bulk_get", wanted)
            #expect(parts.text.contains(#""_id":"a""#) && parts.text.contains(#""_id":"c""#) && parts.text.contains(#"error="true""#))
            let json = try await hub.send("POST", "/db/_bulk_get", wanted, headers: Self.json).object["results"] as? [[String: Any]]
            let documents = json?.compactMap { ($0["docs"] as? [[String: Any]])?.first } ?? []
            #expect(documents.map { $0["ok"] != nil } == [true, false, true])
            #expect((documents[1]["error"] as? [String: Any])?["status"] as? Int == 500)
            let known = try ["a", "b", "c"].map { #""\#($0)":["\#(try #require(revisions[$0]))"]"# }.joined(separator: ",")
            let difference = try await hub.send("POST", "/db/_revs_diff", "{\(known)}")
            #expect(difference.status == 200 && Array(difference.object.keys) == ["b"])
            let edits = try ["a", "b", "c"].map { #"{"_id":"\#($0)","_rev":"\#(try #require(revisions[$0]))"}"# }.joined(separator: ",")
            let bulk = try await hub.send("POST", "/db/_bulk_docs", #"{"docs":[\#(edits)]}"#)
            #expect(bulk.array.map { $0["status"] as? Int } == [nil, 500, nil])
            let read = try await hub.send("GET", "/db/b")
            #expect(read.status == 500 && read.object["reason"] as? String == "The document is damaged")
        }
    }

    // MARK: Upgrades

    @Test("a database that gets version vectors from another process is served with the IDs of trees, also in feeds that have begun")
    func upgradedMeanwhile() throws {
        let hub = try StoppedHub()
        let index = try ChannelIndexes(in: hub.databases.own.file).index(of: hub.keyspace.id, in: hub.keyspace.database)
        var feed = try AccessFeed(hub.keyspace.replica, index, since: FeedPosition(), AccessFeed.Options()) {
            FeedRights(access: .guest, history: AccessHistory(HubAccess.guest.channels))
        }
        try hub.store("a")
        let first = try #require(try hub.keyspace.current("a"))
        #expect(first.revision.tree != nil && first.version == nil)
        let begun = try feed.next(100).items.map(\.announced.change.revision)
        #expect(begun == [first.revision])
        let bundle = hub.keyspace.database.file.bundle.directory
        try run("UPDATE kv_info SET body = x'0000000000000002' WHERE key = 'versioning'", on: bundle)
        // With the collection that was opened before.
        try hub.store("b")
        let stored = try #require(try hub.keyspace.current("b"))
        #expect(stored.revision.tree != nil && stored.version?.source.isMe == false)
        #expect(try hub.keyspace.current("a")?.revision == first.revision)
        #expect(try hub.keyspace.history(of: "b", from: stored.revision) == [stored.revision])
        let later = try feed.next(100).items.map(\.announced.change.revision)
        #expect(later == [stored.revision])
        hub.databases.close()
    }
}
#endif
