#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Hub

/// Requests that clients of CouchDB send, beside those for documents.
@Suite("Requests of CouchDB clients to a hub", .ownThreads)
struct CouchClientTests {
    @Test("a ping needs no login, also as HEAD")
    func ping() async throws {
        try await withHub { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            let answer = try await hub.send("GET", "/_ping")
            #expect(answer.status == 200 && answer.text == "OK" && answer.headers["content-type"] == "text/plain")
            let curl = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["curl"])
            let head = try await curl.run(["-s", "-I", "http://127.0.0.1:\(hub.port)/_ping"]).output
            #expect(head.hasPrefix("HTTP/1.1 200 ") && head.lowercased().contains("content-length: 2\r\n"))
            #expect(try await hub.send("POST", "/_ping").status == 405)
        }
    }

    @Test("creating a database is refused: one that exists with 412, and another one with 403")
    func creation() async throws {
        try await withHub { hub in
            for path in ["/db/", "/db", "/db.travel.hotels/"] {
                let answer = try await hub.send("PUT", path)
                #expect(answer.status == 412 && answer.object["error"] as? String == "file_exists", "\(path)")
            }
            for path in ["/new/", "/db.travel.new/"] { #expect(try await hub.send("PUT", path).status == 403, "\(path)") }
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            #expect(try await hub.send("PUT", "/db/").status == 401)
        }
    }

    @Test("a request for a full commit succeeds, and the connection serves further ones")
    func fullCommit() async throws {
        try await withHub { hub in
            for path in ["/db/_ensure_full_commit", "/db.travel.hotels/_ensure_full_commit"] {
                let answer = try await hub.send("POST", path, "{}")
                #expect(answer.status == 201 && answer.object["ok"] as? Bool == true)
                #expect((answer.object["instance_start_time"] as? Int ?? 0) > 1_000_000_000_000_000)
            }
            #expect(try await hub.send("GET", "/db/_ensure_full_commit").status == 405)
        }
    }

    @Test("OPTIONS lists the methods of a path without a login, and tells nothing about databases")
    func options() async throws {
        try await withHub {
            $0.adminPort = 0
        } _: { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            for (path, methods) in [
                ("/db/", "GET, HEAD, PUT, POST, OPTIONS"), ("/none/", "GET, HEAD, PUT, POST, OPTIONS"),
                ("/db/x", "GET, HEAD, PUT, DELETE, OPTIONS"), ("/db/_bulk_docs", "POST, OPTIONS"), ("/", "GET, HEAD, OPTIONS"),
            ] {
                let answer = try await hub.send("OPTIONS", path)
                #expect(answer.status == 204 && answer.headers["allow"] == methods, "\(path)")
            }
            for path in ["/db/_none", "/db/_user/"] { #expect(try await hub.send("OPTIONS", path).status == 404, "\(path)") }
            #expect(try await hub.send("OPTIONS", "/db/_user/", port: hub.hub.adminPort).status == 204)
        }
    }

    @Test("the filter of IDs accepts a list and a JSON array in the URL")
    func documentIDs() async throws {
        try await withHub { hub in
            for name in ["a", "b", "c", "[d"] { _ = try await hub.send("PUT", "/db/\(name.replacing("[", with: "%5B"))", "{}") }
            let filters = [("a,b", ["a", "b"]), ("b", ["b"]), (#"["a","c"]"#, ["a", "c"]), ("a,none,,%5Bd", ["a", "[d"]), ("", [])]
            for (ids, wanted) in filters {
                let encoded = ids.replacing("\"", with: "%22").replacing("[", with: "%5B").replacing("]", with: "%5D")
                let answer = try await hub.send("GET", "/db/_changes?filter=_doc_ids&doc_ids=\(encoded)")
                let found = (answer.object["results"] as? [[String: Any]])?.map { $0["id"] as? String }
                #expect(found == wanted, "\(ids)")
            }
            #expect(try await hub.send("GET", "/db/_changes?filter=_doc_ids").status == 400)
            #expect(try await hub.send("GET", "/db/_changes?filter=_doc_ids&doc_ids=%5Ba").status == 400)
            let many = String(repeating: "a,", count: 10_000) + "a"
            #expect(try await hub.send("GET", "/db/_changes?filter=_doc_ids&doc_ids=\(many)").status == 400)
        }
    }

    @Test("a collection can be named without its scope if it is the only one, unless the default scope has one of this name")
    func onlyScope() async throws {
        try await withHub { hub in
            let stored = try await hub.send("PUT", "/db.hotels/x", #"{"n":1}"#)
            #expect(stored.status == 201)
            #expect(try await hub.send("GET", "/db.travel.hotels/x").status == 200)
            #expect(try await hub.send("GET", "/db/x").status == 404)
            #expect(try await hub.send("GET", "/db.none/x").status == 404)
            #expect(try await hub.send("GET", "/other.hotels/x").status == 404)
        }
        let hub = try RunningHub()
        await hub.stop()
        for (name, scope, wanted) in [("hotels", "_default", 404), ("bars", "leisure", 404)] {
            try hub.createCollection(name, scope: scope)
            let again = try RunningHub(restarting: hub) { $0.port = 0 }
            #expect(try await again.send("PUT", "/db.travel.hotels/x\(scope)", "{}").status == 201)
            #expect(try await again.send("GET", "/db.hotels/x\(scope)").status == wanted, "\(scope)")
            #expect(try await again.send("GET", "/db.bars/x").object["reason"] as? String == "no such database")
            await again.stop()
        }
    }

    @Test("deleting a document that does not exist stores a tombstone, except for users of some channels")
    func tombstones() async throws {
        try await withHub { hub in
            let deleted = try await hub.send("DELETE", "/db/a")
            #expect(deleted.status == 200 && deleted.revision.hasPrefix("1-"))
            #expect(try await hub.send("GET", "/db/a").object["reason"] as? String == "deleted")
            #expect(try await hub.send("DELETE", "/db/b?rev=1-aa").status == 404)
            #expect(try await hub.send("PUT", "/db/c", #"{"_deleted":true}"#).status == 201)
            let bulk = try await hub.send("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"d","_deleted":true}]}"#)
            #expect(bulk.array.first?["rev"] is String)
            let changes = try await hub.send("GET", "/db/_changes")
            let rows = changes.object["results"] as? [[String: Any]]
            #expect(rows?.map { $0["id"] as? String } == ["a", "c", "d"] && rows?.allSatisfy { $0["deleted"] as? Bool == true } == true)
            // A tombstone can be replaced by a document.
            #expect(try await hub.send("PUT", "/db/a", "{}").revision.hasPrefix("2-"))
            for (name, channels) in [("anna", ["a"]), ("ben", ["b"])] {
                #expect(try hub.hub.users.add(name, password: "secret", channels: channels))
            }
            #expect(try await hub.send("DELETE", "/db/e", user: "anna").status == 404)
            #expect(try await hub.send("PUT", "/db/e", #"{"_deleted":true}"#, user: "anna").status == 403)
            #expect(try await hub.send("PUT", "/db/e", #"{"channels":["b"]}"#, user: "ben").status == 201)
            #expect(try await hub.send("PUT", "/db/f", #"{"_deleted":true,"channels":["a"]}"#, user: "anna").status == 201)
        }
    }

    @Test("the errors of documents in bulk requests have the names that CouchDB gives them")
    func errorNames() async throws {
        try await withHub { hub in
            #expect(try await hub.send("PUT", "/db/a", #"{"channels":["b"]}"#).status == 201)
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            #expect(try await hub.send("PUT", "/db/mine", #"{"channels":["a"]}"#, user: "anna").status == 201)
            let docs = #"""
                {"docs":[{"_id":"a","channels":["a"]},{"_id":"x","channels":["b"]},{"_id":"mine","channels":["a"]},{"_id":"_x"},1,
                {"_id":"y","channels":["a"],"_attachments":{"f":{"stub":true}}}]}
                """#
            let stored = try await hub.send("POST", "/db/_bulk_docs", docs, user: "anna")
            #expect(
                stored.array.map { $0["error"] as? String }
                    == ["forbidden", "forbidden", "conflict", "bad_request", "bad_request", "missing_stub"]
            )
            #expect(stored.array.map { $0["status"] as? Int } == [403, 403, 409, 400, 400, 412])
            let wanted = #"{"docs":[{"id":"a"},{"id":"none"},{"id":"mine","rev":"x"}]}"#
            let read = try await hub.send("POST", "/db/_bulk_get", wanted, user: "anna", headers: ["Accept": "application/json"])
            let results = (read.object["results"] as? [[String: Any]])?.compactMap { ($0["docs"] as? [[String: Any]])?.first }
            #expect(results?.map { ($0["error"] as? [String: Any])?["error"] as? String } == ["forbidden", "not_found", "bad_request"])
        }
    }

    @Test(
        "a client of CouchDB stores, reads, changes and deletes documents and attachments, and follows the changes",
        .enabled(if: CouchClients.obstacle == nil, "the clients cannot be installed: \(CouchClients.obstacle ?? "")"),
        arguments: CouchClients.allCases
    )
    func clients(client: CouchClients) async throws {
        try await withHub { hub in
            for (name, channel) in [("root", "*"), ("anna", "mine")] {
                #expect(try hub.hub.users.add(name, password: "secret", channels: [channel]))
            }
            let result = try await client.run(port: hub.port)
            #expect(result.exitCode == 0, "\(result.output)\(result.errorOutput)")
            #expect(result.output.contains("ok own documents"))
        }
    }

    @Test("each row of a list of changes is a line that ends with the comma")
    func lines() async throws {
        try await withHub { hub in
            for feed in ["normal", "longpoll"] {
                for count in 0...2 {
                    let answer = try await hub.send("GET", "/db/_changes?feed=\(feed)&timeout=1&limit=\(count + 1)")
                    let lines = answer.text.split(separator: "\n").map(String.init)
                    #expect(lines.first == #"{"results":["# && lines.dropLast().last == "],")
                    let rows = lines.dropFirst().dropLast(2)
                    #expect(rows.count == (feed == "normal" ? count : min(count + 1, 2)))
                    for (index, row) in rows.enumerated() {
                        #expect(row.hasPrefix(#"{"seq":"#) && row.hasSuffix(index + 1 < rows.count ? "}," : "}"))
                    }
                    guard feed == "normal", count < 2 else { continue }
                    #expect(try await hub.send("PUT", "/db/d\(count)", "{}").status == 201)
                }
            }
        }
    }
}
#endif
