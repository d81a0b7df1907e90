#if Replication
import CouchbaseLiteSwift
import Foundation
import TestTraits
import Testing
import WebServer

@testable import Inspector

@Suite("An inspector of several databases", .ownThreads)
struct SeveralDatabasesTests {
    /// Names that are also those of files, of calls, or that are encoded in paths.
    private static let names = ["page", "api", "a b/ü", "plain"]
    private let sample: SampleDatabase
    private let served: Served

    /// A server that stops with the test.
    private final class Served {
        let database: Database
        let inspector: Inspector
        let server: WebServer

        init(_ database: Database) throws {
            self.database = database
            // The same database under several names.
            let sources = SeveralDatabasesTests.names.map { name in InspectedSource(name: name) { try database.openFile() } }
            inspector = Inspector(sources, below: "_look")
            server = WebServer(WebServerOptions(), handler: inspector)
            try server.start()
        }

        deinit {
            let server = server
            Task { await server.stop() }
        }
    }

    init() throws {
        sample = try SampleDatabase()
        served = try Served(sample.open())
    }

    private var port: Int { served.server.port ?? 0 }
    private var client: LoopbackClient { LoopbackClient(port: port) }

    private func cookie() throws -> [String: String] {
        let link = served.inspector.makeLink(port: port)
        #expect(link.hasPrefix("http://127.0.0.1:\(port)/_look/?token="))
        let response = try client.request("GET", "/_look/?" + link.split(separator: "?")[1])
        #expect(response.headers["location"] == "/_look/")
        let attributes = try #require(response.headers["set-cookie"])
        #expect(attributes.hasSuffix("; Path=/_look/; HttpOnly; SameSite=Strict"))
        return ["Cookie": String(attributes.prefix { $0 != ";" })]
    }

    @Test("each database has its page, its files and its calls below its name, whatever the name is")
    func names() throws {
        let cookie = try cookie()
        for name in ["page", "api", "a%20b%2F%C3%BC", "plain"] {
            #expect(try client.request("GET", "/_look/\(name)/", cookie).text.contains("<title>Inspector</title>"))
            #expect(try client.request("GET", "/_look/\(name)/page/app.js", cookie).status == 200)
            let called = try client.request("GET", "/_look/\(name)/api/database", cookie)
            let answer = try JSONSerialization.jsonObject(with: Data(called.body)) as? [String: Any]
            #expect(answer?["name"] as? String == name.removingPercentEncoding)
        }
        let list = try client.request("GET", "/_look/api/databases", cookie)
        let answer = try JSONSerialization.jsonObject(with: Data(list.body)) as? [String: Any]
        #expect((answer?["databases"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == Self.names)
        #expect(try client.request("GET", "/_look/page/databases.js", cookie).status == 200)
        #expect(try client.request("GET", "/_look/", cookie).text.contains("page/databases.js"))
    }

    @Test("a page without a slash at its end leads to the one with a slash, to which its parts are relative")
    func slashes() throws {
        let cookie = try cookie()
        for (path, wanted) in [
            ("/_look", "/_look/"), ("/_look/plain", "/_look/plain/"), ("/_look/a%20b%2f%c3%bc?x=/", "/_look/a%20b%2F%C3%BC/"),
        ] {
            let response = try client.request("GET", path, cookie)
            #expect(response.status == 303)
            #expect(response.headers["location"] == wanted)
        }
    }

    @Test("every request needs the cookie, which is valid for all databases, and does not tell which of them exist")
    func access() throws {
        for path in ["/_look/", "/_look/plain/", "/_look/none/", "/_look/plain/api/database", "/_look/none/api/x", "/_look/api/databases"] {
            #expect(try client.request("GET", path).status == 401, "\(path)")
        }
        let first = served.inspector.makeLink(port: port)
        let token = String(try #require(first.split(separator: "=").last))
        let response = try client.request("GET", "/_look/plain/?token=" + token)
        #expect(response.status == 303)
        #expect(response.headers["location"] == "/_look/plain/")
        #expect(try client.request("GET", "/_look/?token=" + token).status == 401)
    }

    @Test(
        "paths of nothing have the status 404",
        arguments: [
            "/", "/page/app.js", "/api/databases", "/_LOOK/", "/_look/none/", "/_look/none/api/database", "/_look/none/page/app.js",
            "/_look/api/database", "/_look/plain/api/none", "/_look/plain/page/none.js", "/_look/plain/x/y/z", "/_look//",
        ]
    )
    func missing(_ path: String) throws {
        #expect(try client.request("GET", path, cookie()).status == 404)
    }

    @Test("requests of other sites are refused for the list and for each database")
    func origins() throws {
        var headers = try cookie()
        headers["Sec-Fetch-Site"] = "cross-site"
        for path in ["/_look/api/databases", "/_look/plain/api/database", "/_look/plain/page/app.js"] {
            #expect(try client.request("GET", path, headers).status == 403, "\(path)")
        }
        headers["Origin"] = "http://evil.example"
        headers["Content-Type"] = "application/json"
        let document = "/_look/plain/api/document?collection=_default._default&id=x"
        #expect(try client.request("PUT", document, headers, body: Array("{}".utf8)).status == 403)
        headers["Origin"] = "http://127.0.0.1:\(port)"
        headers["Sec-Fetch-Site"] = "same-origin"
        #expect(try client.request("PUT", document, headers, body: Array("{}".utf8)).status == 200)
        #expect(try served.database.defaultCollection().document(id: "x") != nil)
    }
}
#endif
