#if Replication
import Foundation
import Hub
import SyncCore
import TestSupport
import Testing
import TestTraits

@Suite("Queries, web pages and administration of a hub", .ownThreads)
struct AdministrationTests {
    @Test("a query with parameters returns its rows, and only users of all documents may run one")
    func queries() async throws {
        try await withHub { hub in
            _ = try await hub.send("POST", "/db/_bulk_docs", #"{"docs":[{"_id":"a","n":1},{"_id":"b","n":2}]}"#)
            let query = #"{"query":"SELECT meta().id, n FROM _ WHERE n > $least","parameters":{"least":1}}"#
            let rows = try await hub.send("POST", "/db/_query", query)
            #expect(rows.text == #"[{"id":"b","n":2}]"#)
            #expect(try await hub.send("POST", "/db/_query", #"{"query":"SELEC"}"#).status == 400)
            #expect(try await hub.send("POST", "/db/_query", #"{"query":"SELECT n FROM _ WHERE n > $least"}"#).status == 400)
            #expect(try await hub.send("POST", "/db/_query", #"{"query":"DELETE FROM _"}"#).status == 400)
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            #expect(try await hub.send("POST", "/db/_query", query, user: "anna").status == 403)
        }
    }

    @Test("a hub whose port for administration is in use does not listen at all")
    func portInUse() async throws {
        try await withHub { other in
            let directory = try TemporaryDirectory()
            var options = HubOptions(directory: directory.url.path)
            options.port = 0
            options.adminPort = other.port
            let hub = try Hub(options)
            #expect(throws: SyncError.self) { try hub.start() }
            #expect(hub.port == nil && hub.adminPort == nil)
            await hub.stop()
        }
    }

    @Test("pages of allowed origins are served, and no others")
    func pages() async throws {
        try await withHub {
            $0.allowedOrigins = ["http://localhost:3000"]
        } _: { hub in
            let good = ["Origin": "http://localhost:3000"]
            let answer = try await hub.send("GET", "/db/", headers: good)
            #expect(answer.status == 200)
            #expect(answer.headers["access-control-allow-origin"] == "http://localhost:3000")
            let asked = good.merging(["Access-Control-Request-Method": "PUT"]) { $1 }
            #expect(try await hub.send("OPTIONS", "/db/x", headers: asked).status == 204)
            #expect(try await hub.send("GET", "/db/none", headers: good).headers["access-control-allow-origin"] != nil)
            #expect(try await hub.send("GET", "/db/", headers: ["Origin": "http://localhost:3001"]).status == 403)
        }
    }

    @Test("pages of an origin that only * allows are served without what the browser adds to their requests")
    func pagesOfAnyOrigin() async throws {
        try await withHub {
            $0.allowedOrigins = ["*", "http://localhost:3000"]
        } _: { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["*"]))
            let login = try await hub.send("POST", "/db/_session", #"{"name":"anna","password":"secret"}"#)
            let cookie = String(try #require(login.headers["set-cookie"]?.split(separator: ";").first))
            for (origin, isNamed) in [("http://localhost:3000", true), ("http://evil.example", false), ("null", false), ("*", false)] {
                let page = ["Origin": origin]
                let withCookie = page.merging(["Cookie": cookie]) { $1 }
                let answer = try await hub.send("GET", "/db/", user: "anna", headers: page)
                #expect(answer.status == 200)
                #expect(answer.headers["access-control-allow-origin"] == (isNamed ? origin : "*"))
                #expect(answer.headers["access-control-allow-credentials"] == (isNamed ? "true" : nil))
                let asked = page.merging(["Access-Control-Request-Method": "PUT"]) { $1 }
                let preflight = try await hub.send("OPTIONS", "/db/x", headers: asked)
                #expect(preflight.status == 204 && preflight.headers["access-control-allow-credentials"] == (isNamed ? "true" : nil))
                #expect(try await hub.send("GET", "/db/", headers: withCookie).status == (isNamed ? 200 : 401), "\(origin)")
                // What a page can send without asking first, the browser sends with stored passwords.
                let simple = page.merging(["Content-Type": "text/plain;charset=UTF-8"]) { $1 }
                let sent = try await hub.send("POST", "/db/", "{}", user: "anna", headers: simple)
                #expect(sent.status == (isNamed ? 200 : 415), "\(origin)")
                #expect(try await hub.send("POST", "/db/", "{}", user: "anna", headers: page).status == 200)
                let upgrade = ["Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"]
                    .merging(page.merging(["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="]) { $1 }) { $1 }
                guard !isNamed else { continue }
                #expect(try await hub.send("GET", "/db/_changes?feed=websocket", user: "anna", headers: upgrade).status == 401)
            }
        }
    }

    @Test("the port for administration manages users and has access to all documents")
    func administration() async throws {
        try await withHub {
            $0.adminPort = 0
        } _: { hub in
            let port = try #require(hub.hub.adminURLs.first.flatMap { URL(string: $0) }?.port)
            let user = #"{"name":"anna","password":"secret","admin_channels":["a"]}"#
            #expect(try await hub.send("POST", "/db/_user/", user).status == 404)
            #expect(try await hub.send("POST", "/db/_user/", user, port: port).status == 201)
            #expect(try await hub.send("POST", "/db/_user/", user, port: port).status == 409)
            for name in ["a:b", "a:\u{301}b"] {
                let user = #"{"name":"\#(name)","password":"secret"}"#
                #expect(try await hub.send("POST", "/db/_user/", user, port: port).status == 400, "\(name)")
            }
            #expect(try await hub.send("GET", "/db/_user/", port: port).text == #"["anna"]"#)
            #expect(try await hub.send("PUT", "/db/x", #"{"channels":["b"]}"#, port: port).status == 201)
            #expect(try await hub.send("GET", "/db/x").status == 401)
            #expect(try await hub.send("GET", "/db/x", user: "anna").status == 403)
            #expect(try await hub.send("PUT", "/db/_user/anna", #"{"admin_channels":["b"]}"#, port: port).status == 200)
            #expect(try await hub.send("GET", "/db/x", user: "anna").status == 200)
            let stored = try await hub.send("GET", "/db/_user/anna", port: port)
            #expect(stored.text == #"{"name":"anna","admin_channels":["b"],"admin_roles":[],"disabled":false}"#)
            // A change that is not understood must not seem to be made.
            for body in [#"{"disabled":"true"}"#, #"{"admin_channels":["a",1]}"#, #"{"password":5}"#, #"{"password":""}"#] {
                #expect(try await hub.send("PUT", "/db/_user/anna", body, port: port).status == 400, "\(body)")
            }
            #expect(try await hub.send("PUT", "/db/_user/anna", #"{"password":null}"#, port: port).status == 200)
            #expect(try await hub.send("GET", "/db/_user/anna", port: port).text == stored.text)
            #expect(try await hub.send("GET", "/db/x", user: "anna").status == 200)
            let role = #"{"name":"staff","admin_channels":["c"]}"#
            #expect(try await hub.send("POST", "/db/_role/", role).status == 401)
            #expect(try await hub.send("POST", "/db/_role/", role, port: port).status == 201)
            #expect(try await hub.send("POST", "/db/_role/", role, port: port).status == 409)
            #expect(try await hub.send("GET", "/db/_role/", port: port).text == #"["staff"]"#)
            #expect(try await hub.send("GET", "/db/_role/staff", port: port).text == role)
            #expect(try await hub.send("PUT", "/db/y", #"{"channels":["c"]}"#, port: port).status == 201)
            #expect(try await hub.send("PUT", "/db/_user/anna", #"{"admin_roles":["staff"]}"#, port: port).status == 200)
            #expect(try await hub.send("GET", "/db/y", user: "anna").status == 200)
            #expect(try await hub.send("PUT", "/db/_role/staff", #"{"admin_channels":[]}"#, port: port).status == 200)
            #expect(try await hub.send("GET", "/db/y", user: "anna").status == 403)
            #expect(try await hub.send("DELETE", "/db/_role/staff", port: port).status == 200)
            #expect(try await hub.send("DELETE", "/db/_role/staff", port: port).status == 404)
            #expect(try await hub.send("DELETE", "/db/_user/anna", port: port).status == 200)
            #expect(try await hub.send("GET", "/db/x").status == 200)
        }
    }

    @Test("the port for administration begins sessions of users without their passwords, with a chosen lifetime")
    func sessions() async throws {
        try await withHub {
            $0.adminPort = 0
        } _: { hub in
            let port = try #require(hub.hub.adminURLs.first.flatMap { URL(string: $0) }?.port)
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            let begin = #"{"name":"anna","ttl":3600}"#
            #expect(try await hub.send("POST", "/db/_session", begin).status == 401)
            let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
            let answer = try await hub.send("POST", "/db/_session", begin, port: port)
            #expect(answer.status == 200)
            let (name, id) = (answer.object["cookie_name"] as? String, answer.object["session_id"] as? String)
            let expires = try #require(try (answer.object["expires"] as? String).map { try Date($0, strategy: .iso8601) })
            #expect(expires >= start + 3600 && expires < start + 24 * 3600)
            let cookie = ["Cookie": "\(name ?? "")=\(id ?? "")"]
            #expect(try await hub.send("GET", "/db/_session", headers: cookie).text.contains(#""name":"anna""#))
            #expect(try await hub.send("DELETE", "/db/_session", headers: cookie).status == 200)
            #expect(try await hub.send("GET", "/db/_session", headers: cookie).text.contains(#""name":null"#))
            #expect(try await hub.send("GET", "/db/", headers: cookie).status == 401)
            #expect(try await hub.send("POST", "/db/_session", #"{"name":"ben"}"#, port: port).status == 404)
            for body in [
                "", "{}", #"{"name":"anna","ttl":0}"#, #"{"name":"anna","ttl":"1"}"#, #"{"name":"anna","ttl":9223372036854775808}"#,
            ] {
                #expect(try await hub.send("POST", "/db/_session", body, port: port).status == 400, "\(body)")
            }
        }
    }
}
#endif
