#if Replication
import Foundation
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import Hub

@Suite("Sessions and stored users of a hub", .ownThreads)
struct SessionTests {
    /// Logs in, and returns the fields that a browser would send from then on.
    private func login(_ hub: RunningHub, _ user: String, _ password: String) async throws -> [String: String] {
        let answer = try await hub.send("POST", "/db/_session", #"{"name":"\#(user)","password":"\#(password)"}"#)
        #expect(answer.status == 200)
        let cookie = try #require(answer.headers["set-cookie"]?.split(separator: ";").first)
        return ["Cookie": String(cookie)]
    }

    @Test("another password of the user ends the sessions, and so does the removal of the user, also if one with the same name follows")
    func ends() async throws {
        try await withHub { hub in
            let users = hub.hub.users
            #expect(try users.add("anna", password: "secret", channels: ["a"]))
            let first = try await login(hub, "anna", "secret")
            #expect(try await hub.send("GET", "/db/", headers: first).status == 200)
            #expect(try users.change("anna", channels: ["a", "b"]))
            #expect(try await hub.send("GET", "/db/", headers: first).status == 200)
            #expect(try users.change("anna", password: "secret"))
            #expect(try await hub.send("GET", "/db/", headers: first).status == 200)
            #expect(try users.change("anna", password: "other"))
            #expect(try await hub.send("GET", "/db/", headers: first).status == 401)
            let second = try await login(hub, "anna", "other")
            #expect(try await hub.send("GET", "/db/", headers: second).status == 200)
            #expect(try users.remove("anna"))
            #expect(try users.add("anna", password: "other", channels: ["a"]))
            #expect(try await hub.send("GET", "/db/", headers: second).status == 401)
            #expect(try await hub.send("GET", "/db/", headers: first).status == 401)
        }
    }

    @Test("a client that has not logged in, or whose session has ended, is told that it is nobody, and may do nothing")
    func nobody() async throws {
        try await withHub {
            $0.adminPort = 0
        } _: { hub in
            let guest = try await hub.send("GET", "/db/_session")
            #expect(guest.status == 200 && guest.text.contains(#""name":null"#) && guest.text.contains(#""*":1"#))
            #expect(try await hub.send("POST", "/db/_session", "{}").status == 400)
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            let requests: [(headers: [String: String], port: Int?)] = [
                ([:], nil), (["Cookie": "SyncGatewaySession=ended"], nil), ([:], hub.hub.adminPort),
            ]
            for (headers, port) in requests {
                let answer = try await hub.send("GET", "/db/_session", headers: headers, port: port)
                #expect(answer.status == 200)
                let user = answer.object["userCtx"] as? [String: Any]
                #expect(user?["name"] is NSNull && (user?["channels"] as? [String: Any])?.isEmpty == true)
                guard port == nil else { continue }
                #expect(try await hub.send("GET", "/db/", headers: headers).status == 401)
                for body in ["{}", ""] { #expect(try await hub.send("POST", "/db/_session", body, headers: headers).status == 401) }
            }
            let wrong = ["Authorization": "Basic \(Data("anna:wrong".utf8).base64EncodedString())"]
            #expect(try await hub.send("GET", "/db/_session", headers: wrong).status == 401)
            let login = #"{"name":"anna","password":"secret"}"#
            for (path, found) in [("/db/_session", 200), ("/none/_session", 404)] {
                // A stranger does not learn which databases exist.
                #expect(try await hub.send("GET", path).text.contains(#""name":null"#))
                #expect(try await hub.send("POST", path, "{}").status == 401)
                #expect(try await hub.send("POST", path, #"{"name":"anna","password":"wrong"}"#).status == 401)
                #expect(try await hub.send("DELETE", path).status == 404)
                #expect(try await hub.send("DELETE", path, headers: ["Cookie": "SyncGatewaySession=ended"]).status == 200)
                #expect(try await hub.send("GET", path, user: "anna").status == found)
                #expect(try await hub.send("POST", path, login).status == found)
                #expect(try await hub.send("GET", path, port: hub.hub.adminPort).status == found)
            }
        }
    }

    @Test("a login without a name begins a session of the user whose password is in the field Authorization")
    func loginOfRequest() async throws {
        try await withHub { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            #expect(try hub.hub.users.add("ben", password: "secret", channels: ["b"]))
            for body in ["{}", "", #"{"name":null}"#] {
                let login = try await hub.send("POST", "/db/_session", body, user: "anna")
                #expect(login.status == 200)
                let cookie = String(try #require(login.headers["set-cookie"]?.split(separator: ";").first))
                let answer = try await hub.send("GET", "/db/_session", headers: ["Cookie": cookie])
                #expect((answer.object["userCtx"] as? [String: Any])?["name"] as? String == "anna")
            }
            // The body has precedence.
            let other = try await hub.send("POST", "/db/_session", #"{"name":"ben","password":"secret"}"#, user: "anna")
            #expect((other.object["userCtx"] as? [String: Any])?["name"] as? String == "ben")
            #expect(try await hub.send("POST", "/db/_session", #"{"name":"ben","password":"wrong"}"#, user: "anna").status == 401)
            #expect(try await hub.send("POST", "/db/_session", #"{"password":"secret"}"#, user: "anna").status == 400)
            #expect(try await hub.send("POST", "/db/_session", #"{"name":1}"#, user: "anna").status == 400)
        }
    }

    @Test("the cookie of a session is sent to all databases and collections, also beside one of another server")
    func cookie() async throws {
        try await withHub { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            let curl = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["curl"])
            let jar = hub.directory.url.appendingPathComponent("cookies").path
            let base = "http://127.0.0.1:\(hub.port)"
            let status = ["-s", "-o", "/dev/null", "-w", "%{http_code}"]
            let login = ["-c", jar, "-d", #"{"name":"anna","password":"secret"}"#, base + "/db/_session"]
            #expect(try await curl.run(status + login).output == "200")
            for path in ["/db/", "/db.travel.hotels/", "/other/"] {
                #expect(try await curl.run(status + ["-b", jar, base + path]).output == "200", "\(path)")
            }
            let session = try #require(try await self.login(hub, "anna", "secret")["Cookie"])
            let both = ["Cookie": "SyncGatewaySession=other; \(session)"]
            #expect(try await hub.send("GET", "/db/", headers: both).status == 200)
            #expect(try await hub.send("DELETE", "/db/_session", headers: both).status == 200)
            #expect(try await hub.send("GET", "/db/", headers: both).status == 401)
        }
    }

    @Test("a user who logs in very often ends sessions of this user only")
    func manySessions() {
        let time = Mutex<Int64>(0)
        let sessions = Sessions { time.withLock { $0 } }
        let password = PasswordHash("secret", iterations: 1)
        let first = sessions.begin("anna", password).token
        time.withLock { $0 += 1 }
        let second = sessions.begin("ben", password).token
        for _ in 0..<Sessions.maximumCount { _ = sessions.begin("ben", password, lifetime: Sessions.maximumLifetime) }
        #expect(sessions.session(first)?.userName == "anna")
        #expect(sessions.session(second) == nil)
        let last = sessions.begin("clara", password).token
        #expect(sessions.session(last)?.userName == "clara" && sessions.session(first) != nil)
    }

    @Test("of several clients that add a user of the same name at the same time, one adds it")
    func concurrentAdditions() async throws {
        try await withHub { hub in
            for round in 0..<20 {
                let added = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<4 {
                        group.addTask { try hub.hub.users.add("user-\(round)", password: "p\(number)", channels: []) }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(added == 1)
            }
        }
    }

    @Test("changes of different parts of a user at the same time are all stored")
    func concurrentChanges() async throws {
        try await withHub { hub in
            let users = hub.hub.users
            #expect(try users.add("anna", password: "secret", channels: []))
            for round in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try users.change("anna", channels: ["c\(round)"]) }
                    group.addTask { _ = try users.change("anna", roles: ["r\(round)"]) }
                    try await group.waitForAll()
                }
                let user = try users.user("anna")
                #expect(user?.channels == ["c\(round)"])
                #expect(user?.roles == ["r\(round)"])
            }
        }
    }
}
#endif
