#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Inspector

@Suite("Access to the inspector", .ownThreads)
struct AccessTests {
    private let sample: SampleDatabase
    private let served: Served

    /// A server that stops with the test.
    private final class Served {
        let database: Database
        let server: InspectorServer

        init(_ database: Database) throws {
            self.database = database
            server = try InspectorServer(database, port: 0)
        }

        deinit { server.stop() }
    }

    init() throws {
        sample = try SampleDatabase()
        served = try Served(sample.open())
    }

    private var client: LoopbackClient { LoopbackClient(port: served.server.port) }

    private func target(_ link: String) -> String { "/?" + link.split(separator: "?")[1] }

    /// Opens the link, and returns the cookie.
    private func cookie() throws -> String {
        let response = try client.request("GET", target(served.server.makeLink()))
        #expect(response.status == 303)
        return String(try #require(response.headers["set-cookie"]).prefix { $0 != ";" })
    }

    private func changing(_ cookie: String) -> [String: String] {
        ["Cookie": cookie, "Origin": "http://127.0.0.1:\(served.server.port)", "Content-Type": "application/json"]
    }

    @Test("every request needs the cookie, except the link")
    func cookies() throws {
        let cookie = try cookie()
        for path in [
            "/", "/page/app.js", "/page/style.css", "/api/database", "/api/documents?collection=_default._default", "/api/log", "/x",
        ] {
            #expect(try client.request("GET", path).status == 401, "\(path)")
            #expect(try client.request("GET", path, ["Cookie": cookie + "0"]).status == 401, "\(path)")
            #expect(try client.request("GET", path, ["Cookie": "other=1"]).status == 401, "\(path)")
        }
        #expect(try client.request("POST", "/api/query", changing("x=y"), body: Array("{}".utf8)).status == 401)
        #expect(try client.request("GET", "/", ["Cookie": cookie]).status == 200)
        #expect(try client.request("GET", "/api/database", ["Cookie": "other=1; " + cookie]).status == 200)
        #expect(try client.request("GET", "/page/app.js", ["Cookie": cookie]).headers["content-type"] == "text/javascript; charset=utf-8")
    }

    @Test("a link works once, and a new link makes the one before invalid")
    func links() throws {
        let (first, second) = (served.server.makeLink(), served.server.makeLink())
        #expect(try client.request("GET", target(first)).status == 401)
        let response = try client.request("GET", target(second))
        #expect(response.status == 303)
        #expect(response.headers["location"] == "/")
        let attributes = try #require(response.headers["set-cookie"])
        #expect(attributes.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        #expect(try client.request("GET", target(second)).status == 401)
        #expect(try client.request("GET", "/?token=").status == 401)
        // The browser that has access already is led to the page.
        let cookie = String(attributes.prefix { $0 != ";" })
        #expect(try client.request("GET", target(second), ["Cookie": cookie]).status == 303)
    }

    @Test("a HEAD of the link changes nothing, so that the browser can open the link afterwards")
    func headOfLink() throws {
        let link = target(served.server.makeLink())
        for _ in 0..<2 {
            let response = try client.request("HEAD", link)
            #expect(response.status == 401 && response.headers["set-cookie"] == nil)
        }
        #expect(try client.request("GET", link).status == 303)
    }

    @Test(
        "a request with the name of another host is refused, so that no site can give its name to this machine",
        arguments: [
            "evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example:1", "[::2]:80", "0.0.0.0", "10.0.0.1", "",
            "[::1].evil.example", "[::1]evil.example:80", "localhost:80.evil.example", "[::1]@evil.example", "user@localhost", "[::1",
        ]
    )
    func hosts(_ host: String) throws {
        let cookie = try cookie()
        let response = try client.request("GET", "/api/database", ["Host": host, "Cookie": cookie])
        #expect((400...499).contains(response.status), "\(response.status)")
        #expect(!response.text.contains("sample"))
    }

    @Test("the names of this machine are accepted", arguments: ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])
    func ownHosts(_ host: String) throws {
        let headers = ["Host": "\(host):\(served.server.port)", "Cookie": try cookie()]
        #expect(try client.request("GET", "/api/database", headers).status == 200)
    }

    @Test("a request from the page of another site is refused")
    func origins() throws {
        let cookie = try cookie()
        for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:\(served.server.port)", "http://localhost"] {
            var headers = changing(cookie)
            headers["Origin"] = origin
            #expect(
                try client.request("PUT", "/api/document?collection=_default._default&id=x", headers, body: Array("{}".utf8)).status == 403
            )
            #expect(try client.request("GET", "/api/database", ["Cookie": cookie, "Origin": origin]).status == 403)
        }
        var headers = changing(cookie)
        headers["Origin"] = nil
        #expect(try client.request("PUT", "/api/document?collection=_default._default&id=x", headers, body: Array("{}".utf8)).status == 403)
        headers = changing(cookie)
        headers["Content-Type"] = "text/plain"
        #expect(try client.request("PUT", "/api/document?collection=_default._default&id=x", headers, body: Array("{}".utf8)).status == 415)
        headers = changing(cookie)
        headers["Sec-Fetch-Site"] = "cross-site"
        #expect(try client.request("PUT", "/api/document?collection=_default._default&id=x", headers, body: Array("{}".utf8)).status == 403)
        #expect(try served.database.defaultCollection().document(id: "x") == nil)
        #expect(
            try client.request("PUT", "/api/document?collection=_default._default&id=x", changing(cookie), body: Array("{}".utf8)).status
                == 200
        )
    }

    @Test("a browser without access may read the style of the page that it is shown, and no other file")
    func styleOfClosedPage() throws {
        let page = try client.request("GET", "/")
        #expect(page.status == 401 && page.text.contains(#"href="page/closed.css""#))
        let style = try client.request("GET", "/page/closed.css")
        #expect(style.status == 200 && style.headers["content-type"] == "text/css; charset=utf-8")
        #expect(try client.request("GET", "/page/closed.css", ["Sec-Fetch-Site": "cross-site"]).status == 403)
        #expect(try client.request("GET", "/page/style.css").status == 401)
        #expect(try client.request("GET", "/api/closed.css").status == 401)
    }

    @Test("the content of a blob needs the content type that forms cannot send, and is limited")
    func uploads() throws {
        let cookie = try cookie()
        let document = try client.request("GET", "/api/document?collection=_default._default&id=person-001", ["Cookie": cookie])
        let answer = try JSONSerialization.jsonObject(with: Data(document.body)) as? [String: Any]
        let revision = try #require(answer?["rev"] as? String)
        let path = "/api/blob?collection=_default._default&id=person-001&property=file&rev=\(revision)"
        var headers = changing(cookie)
        for (type, status) in [
            ("application/json", 415), ("text/plain", 415), ("multipart/form-data", 415), ("application/octet-stream", 200),
        ] {
            headers["Content-Type"] = type
            #expect(try client.request("POST", path, headers, body: Array("content".utf8)).status == status, "\(type)")
        }
        headers["Origin"] = "http://evil.example"
        #expect(try client.request("POST", path, headers, body: [1]).status == 403)
        let inspector = try Inspector(InspectedSource(sample.open()))
        #expect(inspector.maximumBodyBytes(method: "POST", path: ["api", "blob"]) == 24 << 20)
        #expect(inspector.maximumBodyBytes(method: "POST", path: ["api", "query"]) == 1 << 20)
    }

    @Test("every answer forbids what the page does not need")
    func headers() throws {
        let cookie = try cookie()
        for path in ["/", "/page/app.js", "/api/database", "/nothing", "/api/nothing"] {
            for cookie in [cookie, ""] {
                let headers = try client.request("GET", path, ["Cookie": cookie]).headers
                let policy = try #require(headers["content-security-policy"])
                #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
                #expect(!policy.contains("unsafe"))
                #expect(headers["cache-control"] == "no-store")
                #expect(headers["x-content-type-options"] == "nosniff")
                #expect(headers["referrer-policy"] == "no-referrer")
                #expect(headers["x-frame-options"] == "DENY")
            }
        }
        let digest = try #require(try served.database.defaultCollection().document(id: "attachments")?.blob(forKey: "page")?.digest)
        let encoded = try #require(digest.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let blob = try client.request("GET", "/api/blob?type=text/html&digest=\(encoded)", ["Cookie": cookie])
        #expect(blob.status == 200)
        #expect(blob.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(blob.headers["content-security-policy"]?.contains("sandbox") == true)
    }

    @Test(
        "paths lead to no file",
        arguments: [
            "/page/../app.js", "/page/%2e%2e/%2e%2e/etc/passwd", "/../../etc/passwd", "/page/..%2fapp.js", "/page//app.js",
            "/page/app.js/x",
            "/page/APP.JS", "/page/app.js%00", "/page/", "/%2e", "/api/../page/app.js",
        ]
    )
    func paths(_ path: String) throws {
        let response = try client.request("GET", path, ["Cookie": try cookie()])
        #expect(response.status == 404 || response.status == 400, "\(response.status)")
        #expect(!response.text.contains("root:"))
    }

    @Test("bodies that are too large are refused")
    func bodies() throws {
        let cookie = try cookie()
        let large = [UInt8](repeating: UInt8(ascii: " "), count: 2 << 20)
        #expect(try client.request("POST", "/api/query", changing(cookie), body: large).status == 413)
        let document = Array(#"{"text":"\#(String(repeating: "x", count: 2 << 20))"}"#.utf8)
        #expect(
            try client.request("PUT", "/api/document?collection=_default._default&id=x", changing(cookie), body: document).status == 200
        )
    }

    @Test("other methods are refused")
    func methods() throws {
        let cookie = try cookie()
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
            #expect((400...499).contains(try client.request(method, "/", changing(cookie)).status), "\(method)")
        }
    }

    @Test("a port that is in use is reported")
    func port() throws {
        let port = served.server.port
        #expect {
            _ = try InspectorServer(served.database, port: port)
        } throws: { error in
            if case InspectorServer.StartError.portInUse(port)? = error as? InspectorServer.StartError { true } else { false }
        }
    }
}
#endif
