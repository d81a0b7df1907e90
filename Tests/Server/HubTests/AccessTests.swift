#if Replication
import Foundation
import Hub
import TestSupport
import Testing
import TestTraits
import Transport

@Suite("Users and channels of a hub", .ownThreads)
struct AccessTests {
    /// Adds users and a document in each channel.
    private func prepare(_ hub: RunningHub) async throws {
        try hub.hub.users.setRole("staff", channels: ["b"])
        #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
        #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
        #expect(try hub.hub.users.add("bert", password: "secret", channels: [], roles: ["staff"]))
        #expect(try !hub.hub.users.add("bert", password: "other", channels: []))
        let data = Data("content".utf8).base64EncodedString()
        for channel in ["a", "b", "!"] {
            let body = #"{"channels":["\#(channel)"],"secret":"\#(channel)!","_attachments":{"f":{"data":"\#(data)"}}}"#
            #expect(try await hub.send("PUT", "/db/in-\(channel)", body, user: "root").status == 201)
        }
        #expect(try await hub.send("PUT", "/db/nowhere", "{}", user: "root").status == 201)
    }

    @Test("a user reads nothing outside of the user's channels by any endpoint")
    func reading() async throws {
        try await withHub { hub in
            try await prepare(hub)
            for (user, own, others) in [("anna", "in-a", ["in-b", "nowhere"]), ("bert", "in-b", ["in-a", "nowhere"])] {
                #expect(try await hub.send("GET", "/db/\(own)", user: user).status == 200)
                #expect(try await hub.send("GET", "/db/in-%21", user: user).status == 200)
                let all = try await hub.send("GET", "/db/_all_docs?include_docs=true", user: user)
                let changes = try await hub.send("GET", "/db/_changes?include_docs=true", user: user)
                #expect(all.object["total_rows"] as? Int == 2)
                #expect((changes.object["results"] as? [Any])?.count == 2)
                for other in others {
                    for path in [other, "\(other)/f", "\(other)?revs=true&attachments=true", "\(other)?open_revs=all"] {
                        #expect(try await hub.send("GET", "/db/\(path)", user: user).status == 403, "\(path)")
                    }
                    let wanted = #"{"docs":[{"id":"\#(other)"}]}"#
                    let bulk = try await hub.send("POST", "/db/_bulk_get", wanted, user: user)
                    #expect(bulk.text.contains(#""status":403"#))
                    #expect(!bulk.text.contains("channels"))
                    let byKey = try await hub.send("POST", "/db/_all_docs", #"{"keys":["\#(other)"]}"#, user: user)
                    #expect(byKey.text.contains("not_found"))
                    let byID = try await hub.send("GET", "/db/_changes?doc_ids=%5B%22\(other)%22%5D", user: user)
                    #expect((byID.object["results"] as? [Any])?.isEmpty == true)
                    #expect(!all.text.contains(other) && !changes.text.contains(other))
                }
                let channels = try await hub.send("GET", "/db/_changes?filter=sync_gateway/bychannel&channels=a,b", user: user)
                #expect((channels.object["results"] as? [Any])?.count == 1)
            }
        }
    }

    @Test("a user changes only documents in the user's channels, and moves them to no other channel")
    func writing() async throws {
        try await withHub { hub in
            try await prepare(hub)
            let revision = try await hub.send("GET", "/db/in-b", user: "root").object["_rev"] as? String ?? ""
            let own = try await hub.send("GET", "/db/in-a", user: "anna").object["_rev"] as? String ?? ""
            for (method, path, body) in [
                ("PUT", "in-b?rev=\(revision)", #"{"channels":["a"]}"#), ("PUT", "in-b", #"{"channels":["a"]}"#),
                ("DELETE", "in-b?rev=\(revision)", nil), ("PUT", "new", #"{"channels":["b"]}"#), ("PUT", "new", "{}"),
                ("PUT", "in-a?rev=\(own)", #"{"channels":["a","b"]}"#), ("PUT", "in-b/f?rev=\(revision)", "x"),
                ("PUT", "in-b?new_edits=false", #"{"_rev":"7-aa","channels":["a"]}"#),
            ] {
                #expect(try await hub.send(method, "/db/\(path)", body, user: "anna").status == 403, "\(method) \(path)")
            }
            let bulk = try await hub.send("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"in-b","channels":["a"]}]}"#, user: "anna")
            #expect(bulk.array.first?["status"] as? Int == 403)
            #expect(try await hub.send("GET", "/db/in-b", user: "root").object["_rev"] as? String == revision)
            #expect(try await hub.send("PUT", "/db/in-a?rev=\(own)", #"{"channels":"a"}"#, user: "anna").status == 201)
        }
    }

    @Test("content of another user is not readable because its digest is known")
    func digests() async throws {
        try await withHub { hub in
            try await prepare(hub)
            let hidden = try await hub.send("PUT", "/db/x", #"{"_attachments":{"f":{"data":"c2VjcmV0"}}}"#, user: "root")
            #expect(hidden.status == 201)
            let entries = try await hub.send("GET", "/db/x", user: "root").object["_attachments"] as? [String: [String: Any]]
            let digest = entries?["f"]?["digest"] as? String ?? ""
            let entry = #"{"f":{"stub":true,"revpos":1,"length":6,"digest":"\#(digest)"}}"#
            let stolen = try await hub.send("PUT", "/db/mine", #"{"channels":"a","_attachments":\#(entry)}"#, user: "anna")
            #expect(stolen.status == 412)
        }
    }

    @Test("the readers of a document learn about its deletion")
    func deletion() async throws {
        try await withHub { hub in
            try await prepare(hub)
            let revision = try await hub.send("GET", "/db/in-a", user: "anna").object["_rev"] as? String ?? ""
            #expect(try await hub.send("DELETE", "/db/in-a?rev=\(revision)", user: "anna").status == 200)
            #expect(try await hub.send("GET", "/db/_changes", user: "anna").text.contains(#""deleted":true"#))
            #expect(try await !hub.send("GET", "/db/_changes", user: "bert").text.contains("in-a"))
        }
    }

    @Test("requests without a user, with a wrong password, or of a disabled user are refused")
    func authentication() async throws {
        try await withHub { hub in
            try await prepare(hub)
            let unknown = try await hub.send("GET", "/db/in-a")
            #expect(unknown.status == 401)
            #expect(unknown.text == #"{"error":"Unauthorized","reason":"Login required"}"#)
            #expect(try await hub.send("GET", "/db/in-a", user: "nobody").status == 401)
            #expect(try await hub.send("GET", "/db/_changes").status == 401)
            #expect(try await hub.send("GET", "/metrics").status == 401)
            #expect(try hub.hub.users.change("anna", password: "other"))
            #expect(try await hub.send("GET", "/db/in-a", user: "anna").status == 401)
            #expect(try hub.hub.users.change("anna", password: "secret"))
            #expect(try await hub.send("GET", "/db/in-a", user: "anna").status == 200)
            #expect(try hub.hub.users.change("anna", isDisabled: true))
            #expect(try await hub.send("GET", "/db/in-a", user: "anna").status == 401)
            #expect(try hub.hub.users.remove("anna"))
            #expect(try hub.hub.users.names() == ["bert", "root"])
        }
    }

    @Test("many wrong passwords are refused without checking them, while other users and sessions of the same address are served")
    func throttle() async throws {
        try await withHub {
            $0.passwordLimits.ofName.burst = 3
            $0.now = { 0 }
        } _: { hub in
            try await prepare(hub)
            let login = try await hub.send("POST", "/db/_session", #"{"name":"bert","password":"secret"}"#)
            let cookie = login.headers["set-cookie"]?.split(separator: ";").first.map(String.init) ?? ""
            let curl = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["curl"])
            let url = "http://127.0.0.1:\(hub.port)/db/in-b?[1-1000]"
            let all = try await curl.run(["-s", "-o", "/dev/null", "-w", "%{http_code}\n", "-u", "bert:wrong", url]).output
            let statuses = all.split(separator: "\n")
            #expect(statuses.prefix(3) == ["401", "401", "401"])
            #expect(statuses.count == 1000 && statuses.dropFirst(3).allSatisfy { $0 == "429" })
            #expect(try await hub.send("GET", "/db/in-b", user: "bert").status == 429)
            #expect(try await hub.send("GET", "/db/in-b", headers: ["Cookie": cookie]).status == 200)
            #expect(try await hub.send("GET", "/db/in-b", user: "root").status == 200)
        }
    }

    @Test("a session's cookie stands for its user until the logout")
    func sessions() async throws {
        try await withHub { hub in
            try await prepare(hub)
            let login = try await hub.send("POST", "/db/_session", #"{"name":"anna","password":"secret"}"#)
            #expect(login.status == 200)
            let context = login.object["userCtx"] as? [String: Any]
            #expect(context?["name"] as? String == "anna")
            #expect((context?["channels"] as? [String: Int])?["a"] == 1)
            let cookie = login.headers["set-cookie"]?.split(separator: ";").first.map(String.init) ?? ""
            #expect(cookie.hasPrefix("SyncGatewaySession="))
            let headers = ["Cookie": cookie]
            #expect(try await hub.send("GET", "/db/in-a", headers: headers).status == 200)
            #expect(try await hub.send("GET", "/db/in-b", headers: headers).status == 403)
            #expect(try await hub.send("GET", "/db/_session", headers: headers).text.contains(#""name":"anna""#))
            #expect(try await hub.send("DELETE", "/db/_session", headers: headers).status == 200)
            #expect(try await hub.send("GET", "/db/in-a", headers: headers).status == 401)
            #expect(try await hub.send("POST", "/db/_session", #"{"name":"anna","password":"x"}"#).status == 401)
        }
    }
}
#endif
