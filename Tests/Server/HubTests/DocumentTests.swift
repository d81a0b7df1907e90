#if Replication
import DocumentStore
import Foundation
import Replication
import SQLiteEngine
import SyncCore
import Synchronization
import TestSupport
import Testing
import TestTraits

@testable import Hub

@Suite("REST of a hub: documents", .ownThreads)
struct DocumentTests {
    @Test("a document is created, read, changed and deleted")
    func lifeCycle() async throws {
        try await withHub { hub in
            let created = try await hub.send("PUT", "/db/a%2Fb", #"{"n":1.50,"text":"ä"}"#)
            #expect(created.status == 201)
            #expect(created.object["ok"] as? Bool == true)
            #expect(created.object["id"] as? String == "a/b")
            #expect(created.revision.hasPrefix("1-"))
            let read = try await hub.send("GET", "/db/a%2Fb")
            #expect(read.status == 200)
            #expect(read.text == #"{"_id":"a/b","_rev":"\#(created.revision)","n":1.5,"text":"ä"}"#)
            #expect(read.headers["etag"] == "\"\(created.revision)\"")
            #expect(try await hub.send("GET", "/db/a%2Fb", headers: ["If-None-Match": "\"\(created.revision)\""]).status == 304)
            let again = try await hub.send("PUT", "/db/a%2Fb", "{}")
            #expect(again.status == 409)
            #expect(again.text == #"{"error":"conflict","reason":"Document exists"}"#)
            let changed = try await hub.send("PUT", "/db/a%2Fb?rev=\(created.revision)", #"{"n":2}"#)
            #expect(changed.revision.hasPrefix("2-"))
            let stale = try await hub.send("PUT", "/db/a%2Fb", #"{"_rev":"\#(created.revision)"}"#)
            #expect(stale.text == #"{"error":"conflict","reason":"Document revision conflict"}"#)
            let byTag = try await hub.send("PUT", "/db/a%2Fb", "{}", headers: ["If-Match": "\"\(changed.revision)\""])
            #expect(byTag.revision.hasPrefix("3-"))
            #expect(try await hub.send("DELETE", "/db/a%2Fb").status == 409)
            let deleted = try await hub.send("DELETE", "/db/a%2Fb?rev=\(byTag.revision)")
            #expect(deleted.status == 200)
            #expect(try await hub.send("GET", "/db/a%2Fb").text == #"{"error":"not_found","reason":"deleted"}"#)
            let tombstone = try await hub.send("GET", "/db/a%2Fb?rev=\(deleted.revision)")
            #expect(tombstone.object["_deleted"] as? Bool == true)
            #expect(try await hub.send("PUT", "/db/a%2Fb", "{}").revision.hasPrefix("5-"))
            #expect(try await hub.send("GET", "/db/none").text == #"{"error":"not_found","reason":"missing"}"#)
        }
    }

    @Test("a document can be read at any moment while others change it")
    func readingWhileChanging() async throws {
        let hub = try StoppedHub()
        let writing = DocumentWriting(keyspace: hub.keyspace, access: { .guest })
        let documents = DocumentRequests(keyspace: hub.keyspace, access: { .guest })
        let count: UInt64 = 500
        let first = try writing.store(try DocumentInput(json: Array("{}".utf8)), as: "x", base: nil).revision
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var last = first
                while last.generation < count {
                    let json = Array(#"{"n":\#(last.generation)}"#.utf8)
                    last = try writing.store(try DocumentInput(json: json), as: "x", base: last.description).revision
                    await Task.yield()
                }
            }
            group.addTask {
                while !Task.isCancelled, try documents.readable("x", nil).revision.generation < count { await Task.yield() }
            }
            try await group.waitForAll()
        }
        hub.databases.close()
    }

    @Test("collections have their own documents, and databases that do not exist are not found")
    func keyspaces() async throws {
        try await withHub { hub in
            #expect(try await hub.send("PUT", "/db.travel.hotels/h1", #"{"stars":4}"#).status == 201)
            #expect(try await hub.send("GET", "/db/h1").status == 404)
            #expect(try await hub.send("GET", "/db.travel.hotels/h1").status == 200)
            let posted = try await hub.send("POST", "/other/", #"{"x":1}"#)
            #expect(posted.status == 200)
            let id = posted.object["id"] as? String ?? ""
            #expect(try await hub.send("GET", "/other/\(id)").object["x"] as? Int == 1)
            for path in ["/none/", "/db.none/x", "/db.travel.none/x", "/_hub/x", "/_hub.hub.users/_all_docs"] {
                #expect(try await hub.send("GET", path).text == #"{"error":"not_found","reason":"no such database"}"#)
            }
            let information = try await hub.send("GET", "/db/")
            #expect(information.object["db_name"] as? String == "db")
            #expect(information.object["state"] as? String == "Online")
            #expect(try await hub.send("GET", "/").object["couchdb"] as? String == "Welcome")
            #expect(try await hub.send("GET", "/_health").status == 200)
        }
    }

    @Test(
        "documents that are not valid are refused",
        arguments: [
            "", "[]", "1", "{", #"{"_other":1}"#, #"{"_id":"y"}"#, #"{"_rev":"x","a":1}"#, #"{"_attachments":1}"#, #"{"_id":5}"#,
            #"{"_rev":5}"#, #"{"_deleted":"true"}"#, "{\"_\u{301}\":1}",
        ]
    )
    func invalidDocuments(body: String) async throws {
        try await withHub { hub in
            let answer = try await hub.send("PUT", "/db/x", body)
            #expect(answer.status == 400)
            #expect(try await hub.send("PUT", "/db/_x", "{}").status == 404)
            #expect(try await hub.send("PUT", "/db/_%CC%81", "{}").status == 404)
        }
    }

    @Test("revisions with histories are stored as they are, unless they are conflicts")
    func existingRevisions() async throws {
        try await withHub { hub in
            let body = #"{"_revisions":{"start":3,"ids":["cc","bb","aa"]},"v":3}"#
            #expect(try await hub.send("PUT", "/db/x?new_edits=false", body).revision == "3-cc")
            let read = try await hub.send("GET", "/db/x?revs=true")
            let revisions = read.object["_revisions"] as? [String: Any]
            #expect(revisions?["start"] as? Int == 3)
            #expect(revisions?["ids"] as? [String] == ["cc", "bb", "aa"])
            #expect(try await hub.send("PUT", "/db/x?new_edits=false", #"{"_rev":"3-dd"}"#).status == 409)
            let open = try await hub.send("GET", "/db/x?open_revs=%5B%223-cc%22,%229-99%22%5D")
            #expect((open.array.first?["ok"] as? [String: Any])?["v"] as? Int == 3)
            #expect(open.array.last?["missing"] as? String == "9-99")
            for list in ["%5B1%5D", "%7B%7D", "%5B" + String(repeating: "%221-a%22,", count: 1000) + "%221-a%22%5D"] {
                #expect(try await hub.send("GET", "/db/x?open_revs=\(list)").status == 400)
            }
            let reason = try await hub.send("GET", "/db/x?open_revs=x").object["reason"] as? String
            #expect(reason?.hasPrefix("open_revs is not valid JSON") == true)
        }
    }

    @Test("documents that are damaged do not keep `_all_docs` from listing the others")
    func damaged() async throws {
        try await withHub { hub in
            for id in ["a", "b", "c", "d"] { #expect(try await hub.send("PUT", "/db/\(id)", #"{"n":1}"#).status == 201) }
            let connection = try Connection(path: hub.directory.path("db.cblite2") + "/db.sqlite3", mode: .readWrite)
            // The IDs of the revisions of two documents, and the properties of another one, whose value is before the beginning of the data.
            try connection.execute("UPDATE kv_default SET version = x'00000000' WHERE key IN ('a', 'c')")
            try connection.execute("UPDATE kv_default SET body = x'70010000bfff8003' WHERE key = 'd'")
            try connection.close()
            for query in ["", "?startkey=%22a%22", "?limit=2"] {
                let rows = try await hub.send("GET", "/db/_all_docs\(query)").object["rows"] as? [[String: Any]]
                #expect(rows?.map { $0["id"] as? String } == ["b", "d"])
            }
            let full = try await hub.send("GET", "/db/_all_docs?include_docs=true").object["rows"] as? [[String: Any]]
            #expect((full?.first?["doc"] as? [String: Any])?["n"] as? Int == 1)
            #expect(full?.last?["error"] as? String == "damaged")
            #expect(full?.last?["doc"] is NSNull)
            #expect(try await hub.send("GET", "/db/d").status == 500)
            let byKey = try await hub.send("POST", "/db/_all_docs", #"{"keys":["a","b"]}"#)
            #expect((byKey.object["rows"] as? [[String: Any]])?.map { $0["error"] as? String } == ["not_found", nil])
        }
    }

    @Test("more damaged documents than are examined at once do not end `_all_docs`")
    func manyDamaged() async throws {
        try await withHub { hub in
            let documents = (1000..<1450).map { #"{"_id":"d\#($0)"}"# }.joined(separator: ",")
            #expect(try await hub.send("POST", "/db/_bulk_docs", "{\"docs\":[\(documents)]}").status == 201)
            let connection = try Connection(path: hub.directory.path("db.cblite2") + "/db.sqlite3", mode: .readWrite)
            try connection.execute("UPDATE kv_default SET version = x'00000000' WHERE key < 'd1449'")
            try connection.close()
            let rows = try await hub.send("GET", "/db/_all_docs").object["rows"] as? [[String: Any]]
            #expect(rows?.map { $0["id"] as? String } == ["d1449"])
        }
    }

    @Test("many documents are stored and read in one request")
    func bulk() async throws {
        try await withHub { hub in
            let stored = try await hub.send(
                "POST",
                "/db/_bulk_docs",
                #"{"docs":[{"_id":"x1","n":1},{"_id":"x2","n":2},{"_id":"x1"},{"n":3}]}"#
            )
            #expect(stored.status == 201)
            #expect(stored.array.count == 4)
            #expect(stored.array[2]["status"] as? Int == 409)
            let unclear = #"{"new_edits":"false","docs":[{"_id":"x5","_rev":"3-aa"}]}"#
            #expect(try await hub.send("POST", "/db/_bulk_docs", unclear).status == 400)
            let all = try await hub.send("GET", "/db/_all_docs?include_docs=true&startkey=%22x1%22&endkey=%22x2%22")
            let rows = all.object["rows"] as? [[String: Any]] ?? []
            #expect(rows.map { $0["id"] as? String } == ["x1", "x2"])
            #expect((rows.last?["doc"] as? [String: Any])?["n"] as? Int == 2)
            #expect(all.object["total_rows"] as? Int == 2)
            #expect(all.object["update_seq"] as? Int == 3)
            let none = try await hub.send("GET", "/db/_all_docs?startkey=%22x2%22&endkey=%22x1%22")
            #expect((none.object["rows"] as? [Any])?.count == 0)
            // The key begins with a combining accent.
            let later = try await hub.send("GET", "/db/_all_docs?startkey=%22%CC%81%22")
            #expect((later.object["rows"] as? [Any])?.count == 0)
            let keys = try await hub.send("POST", "/db/_all_docs", #"{"keys":["x2","zz"]}"#)
            #expect(keys.text.contains(#"{"key":"zz","error":"not_found","status":404}"#))
            let wanted = #"{"docs":[{"id":"x1"},{"id":"zz"}]}"#
            let json = try await hub.send("POST", "/db/_bulk_get", wanted, headers: ["Accept": "application/json"])
            #expect((json.object["results"] as? [Any])?.count == 2)
            #expect(try await hub.send("POST", "/db/_bulk_get", #"{"docs":[{"id":"a","rev":1}]}"#).status == 400)
            let parts = try await hub.send("POST", "/db/_bulk_get", wanted)
            #expect(parts.headers["content-type"]?.hasPrefix("multipart/mixed; boundary=") == true)
            #expect(parts.text.contains(#"{"_id":"x1","_rev":"1-"#))
            #expect(parts.text.contains(#"error="true""#))
        }
    }

    @Test("attachments are stored, read in ranges, and kept by changes of the document")
    func attachments() async throws {
        try await withHub { hub in
            let data = Data("hello world".utf8).base64EncodedString()
            let created = try await hub.send(
                "PUT",
                "/db/x",
                #"{"_attachments":{"a.txt":{"content_type":"text/plain","data":"\#(data)"}}}"#
            )
            let read = try await hub.send("GET", "/db/x/a.txt")
            #expect(read.text == "hello world")
            #expect(read.headers["content-type"] == "text/plain")
            let tag = read.headers["etag"] ?? ""
            #expect(tag.hasPrefix("\"sha1-"))
            #expect(try await hub.send("GET", "/db/x/a.txt", headers: ["If-None-Match": tag]).status == 304)
            let range = try await hub.send("GET", "/db/x/a.txt", headers: ["Range": "bytes=6-"])
            #expect(range.status == 206)
            #expect(range.text == "world")
            #expect(range.headers["content-range"] == "bytes 6-10/11")
            let outside = try await hub.send("GET", "/db/x/a.txt", headers: ["Range": "bytes=11-"])
            #expect(outside.status == 416)
            #expect(outside.headers["content-range"] == "bytes */11")
            let head = try await RunningHub.send("HEAD", "/db/x/a.txt", headers: ["Range": "bytes=6-"], port: hub.port, options: ["--head"])
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "11")
            let entries = try await hub.send("GET", "/db/x").object["_attachments"] as? [String: [String: Any]]
            #expect(entries?["a.txt"]?["stub"] as? Bool == true)
            #expect(entries?["a.txt"]?["length"] as? Int == 11)
            #expect(entries?["a.txt"]?["revpos"] as? Int == 1)
            let changed = try await hub.send(
                "PUT",
                "/db/x?rev=\(created.revision)",
                #"{"n":1,"_attachments":{"a.txt":{"stub":true}}}"#
            )
            #expect(changed.status == 201)
            let second = try await hub.send(
                "PUT",
                "/db/x/b.bin?rev=\(changed.revision)",
                "12345",
                headers: ["Content-Type": "application/x-b"]
            )
            #expect(second.status == 201)
            let both = try await hub.send("GET", "/db/x?attachments=true").object
            #expect(both["n"] as? Int == 1)
            let full = both["_attachments"] as? [String: [String: Any]]
            #expect(full?["a.txt"]?["data"] as? String == data)
            #expect(full?["b.bin"]?["content_type"] as? String == "application/x-b")
            #expect(try await hub.send("DELETE", "/db/x/a.txt?rev=\(second.revision)").status == 200)
            #expect(try await hub.send("GET", "/db/x/a.txt").status == 404)
            #expect(try await hub.send("GET", "/db/x/b.bin").text == "12345")
        }
    }

    @Test("local documents have revisions of their own")
    func localDocuments() async throws {
        try await withHub { hub in
            let stored = try await hub.send("PUT", "/db/_local/mine", #"{"seq":7}"#)
            #expect(stored.status == 201)
            #expect(try await hub.send("PUT", "/db/_local/mine", "{}").status == 409)
            let read = try await hub.send("GET", "/db/_local/mine")
            #expect(read.object["seq"] as? Int == 7)
            #expect(read.object["_rev"] as? String == stored.revision)
            #expect(try await hub.send("DELETE", "/db/_local/mine?rev=\(stored.revision)").status == 200)
            #expect(try await hub.send("GET", "/db/_local/mine").status == 404)
        }
    }

    @Test("the local documents of a user are limited, and do not displace those of others or checkpoints of clients")
    func localDocumentsOfManyUsers() async throws {
        let maximum = LocalDocuments.maximumTotal.count
        try await withHub { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            #expect(try hub.hub.users.add("bert", password: "secret", channels: ["b"]))
            #expect(try await hub.send("PUT", "/db/_local/mine", #"{"seq":7}"#, user: "anna").status == 201)
            await hub.stop()
            // As many as bert may store, and a checkpoint of anna's client before them.
            let database = try HubDatabases(directory: hub.directory.url.path, mapping: ChannelMapping())
            let replica = try #require(try database.keyspace("db")).database.replica
            _ = try replica.setPeerCheckpoint("sync:anna:cp", expecting: "", body: Array("{}".utf8))
            try replica.file.transaction { writer in
                for number in 0..<maximum {
                    let document = RawStore.Document(version: Array("1-cc".utf8), body: Array("{}".utf8))
                    try RawStore.peerCheckpoints.set("local:bert:_default._default:d\(number)", to: document, in: writer)
                }
            }
            database.close()
            let restarted = try RunningHub(restarting: hub)
            let refused = try await restarted.send("PUT", "/db.travel.hotels/_local/more", "{}", user: "bert")
            #expect(refused.status == 413)
            let reason = "A user has at most 10,000 local documents, with 16 MiB together; delete some of them first"
            #expect(refused.object["reason"] as? String == reason)
            #expect(try await restarted.send("GET", "/db/_local/mine", user: "anna").object["seq"] as? Int == 7)
            #expect(try await restarted.send("PUT", "/db/_local/second", "{}", user: "anna").status == 201)
            #expect(try await restarted.send("GET", "/db/_local/d0", user: "bert").status == 200)
            #expect(try await restarted.send("DELETE", "/db/_local/d0?rev=1-cc", user: "bert").status == 200)
            #expect(try await restarted.send("PUT", "/db.travel.hotels/_local/more", "{}", user: "bert").status == 201)
            let long = String(repeating: "x", count: 513)
            #expect(try await restarted.send("PUT", "/db/_local/\(long)", "{}", user: "anna").status == 400)
            await restarted.stop()
            let later = try HubDatabases(directory: hub.directory.url.path, mapping: ChannelMapping())
            #expect(try later.keyspace("db")?.database.replica.peerCheckpoint("sync:anna:cp") != nil)
            later.close()
        }
    }

    @Test("an error of the hub is in the log, and a full disk and a locked database are in the response")
    func errors() async throws {
        let errors = Mutex<[any Error]>([
            SyncError(.sqlite, 1, "the reason"), SyncError(.posix, Int(ENOSPC), "full"), SyncError(engine: .busy, "locked"),
        ])
        try await withHub {
            $0.beforeRequest = { if let error = errors.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error } }
        } _: { hub in
            let failed = try await hub.send("GET", "/db/x")
            #expect(failed.status == 500 && !failed.text.contains("reason\":\"the reason"))
            #expect(hub.log.all.last?.contains(#""status":500,"ms":"#) == true)
            #expect(hub.log.all.last?.hasSuffix(#","error":"the reason"}"#) == true)
            let full = try await hub.send("PUT", "/db/x", "{}")
            #expect(full.status == 503 && full.text.contains("The disk of the hub is full"))
            let busy = try await hub.send("PUT", "/db/x", "{}")
            #expect(busy.status == 503 && busy.text.contains("locked by another program"))
        }
    }

    @Test("requests of web pages are refused, and each request is logged")
    func pagesAndLog() async throws {
        try await withHub { hub in
            let refused = try await hub.send("GET", "/db/x?secret=1", headers: ["Origin": "http://example.com"])
            #expect(refused.status == 403)
            let line = hub.log.all.last ?? ""
            #expect(line.contains(#""path":"/db/x","status":403"#))
            #expect(!line.contains("secret"))
            #expect(try await hub.send("GET", "/metrics").text.contains(#"hub_requests_total{method="GET",status="403"} 1"#))
        }
    }
}
#endif
