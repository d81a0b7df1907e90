#if Replication
import Base
import CouchbaseLiteSwift
import DocumentStore
import Foundation
import TestTraits
import Testing
import WebServer

@testable import Inspector

@Suite("Streams of the inspector's pages", .ownThreads)
struct PageStreamTests {
    private static let all = "_default._default"
    private let sample: SampleDatabase
    private let served: Served

    /// A server that stops with the test.
    private final class Served {
        let database: Database
        let log = LogBuffer()
        let inspector: Inspector
        let server: WebServer

        init(_ database: Database) throws {
            self.database = database
            // A user for each document that begins so.
            let users = InspectedUsers {
                try database.openFile()
            } read: { limit in
                let query = "SELECT meta().id FROM _ WHERE meta().id LIKE 'user-%' ORDER BY meta().id"
                let names = try database.createQuery(query).execute().compactMap { $0.string(at: 0) }
                let users = names.prefix(limit).map { InspectedUsers.User(name: $0, channels: ["a"], roles: ["r"], isDisabled: true) }
                return .init(users: users, userCount: names.count, roles: [.init(name: "r", channels: ["*"])], roleCount: 1)
            }
            inspector = Inspector([InspectedSource(database)], below: "_look", users: users, log: log)
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

    /// Opens a link, and returns the headers of the WebSockets of that browser.
    private func headers() throws -> [String: String] {
        let link = served.inspector.makeLink(port: port)
        let response = try LoopbackClient(port: port).request("GET", "/_look/?" + link.split(separator: "?")[1])
        let cookie = String(try #require(response.headers["set-cookie"]).prefix { $0 != ";" })
        return ["Cookie": cookie, "Origin": "http://127.0.0.1:\(port)"]
    }

    private func stream(_ request: String?, _ headers: [String: String]? = nil) throws -> StreamClient {
        try StreamClient(port: port, "/_look/sample/api/stream", headers ?? self.headers(), request)
    }

    private func save(_ id: String, _ json: String = "{}") throws {
        try served.database.defaultCollection().save(document: MutableDocument(id: id, json: json))
    }

    /// Waits until there are as many streams. The inspector notices the end of a connection some time after the client has closed it.
    private func waitForStreams(_ count: Int) async { while served.inspector.streamCount != count { await Task.yield() } }

    /// Returns the collections of a message, by their names.
    private func collections(_ message: [String: Any]) throws -> [String: [String: Any]] {
        let list = try #require(message["collections"] as? [[String: Any]])
        return Dictionary(uniqueKeysWithValues: list.map { ($0["name"] as? String ?? "", $0) })
    }

    @Test("the counters are sent at once, after each commit, and when documents have been counted")
    func counters() throws {
        let stream = try stream(#"{"topic":"counters"}"#)
        let before = try #require(try collections(stream.nextObject())[Self.all]?["lastSequence"] as? Int)
        for number in 1...3 {
            try save("new-\(number)")
            while try collections(stream.nextObject())[Self.all]?["lastSequence"] as? Int != before + number {}
        }
        _ = try served.database.createCollection(name: "new")
        while try collections(stream.nextObject())["_default.new"] == nil {}
        try served.database.collection(name: "new")?.save(document: MutableDocument(id: "x"))
        // The count follows without another commit.
        while try collections(stream.nextObject())["_default.new"]?["documents"] as? Int != 1 {}
    }

    @Test("users and roles are sent at once, and after each commit to the database that stores them, the first ones with their number")
    func users() throws {
        let stream = try StreamClient(port: port, "/_look/api/stream", headers(), #"{"topic":"users"}"#)
        let first = try stream.nextObject()
        #expect(first["userCount"] as? Int == 0)
        #expect(first["roles"] as? [NSDictionary] == [["name": "r", "channels": ["*"]]])
        try served.database.inBatch {
            for number in 0...InspectedUsers.maximumCount { try save("user-\(10_000 + number)") }
        }
        var message = try stream.nextObject()
        while message["userCount"] as? Int == 0 { message = try stream.nextObject() }
        #expect(message["userCount"] as? Int == InspectedUsers.maximumCount + 1)
        let users = try #require(message["users"] as? [NSDictionary])
        #expect(users.count == InspectedUsers.maximumCount)
        #expect(users.first == ["name": "user-10000", "channels": ["a"], "roles": ["r"], "disabled": true])
    }

    @Test("each document that has changed is sent once, in the order of the changes")
    func documents() throws {
        let collection = try served.database.defaultCollection()
        try save("before")
        let last = try #require(try collection.store.change(of: "before", remote: nil)?.sequence)
        try save("between")
        let stream = try stream(#"{"topic":"documents","collection":"_default._default","after":\#(last)}"#)
        var found: [String] = []
        func receive(until count: Int) throws {
            while found.count < count {
                let message = try stream.nextObject()
                #expect(message["reload"] as? Bool == false)
                for item in try #require(message["documents"] as? [[String: Any]]) {
                    found.append(item["id"] as? String ?? "")
                }
            }
        }
        try receive(until: 1)
        for id in ["a", "b"] { try save(id) }
        try receive(until: 3)
        try save("between", #"{"n":1}"#)
        try receive(until: 4)
        #expect(found == ["between", "a", "b", "between"])
    }

    @Test("after a deletion, a purge, and more changes than are listed, the page is told to read its list again")
    func reload() throws {
        let collection = try served.database.defaultCollection()
        try save("purged")
        let last = try #require(try collection.store.change(of: "purged", remote: nil)?.sequence)
        let stream = try stream(#"{"topic":"documents","collection":"_default._default","after":\#(last)}"#)
        #expect(try stream.nextObject()["reload"] as? Bool == false)
        try collection.delete(document: try #require(try collection.document(id: "attachments")))
        while try stream.nextObject()["reload"] as? Bool != true {}
        try collection.purge(id: "purged")
        while try stream.nextObject()["reload"] as? Bool != true {}
        try served.database.inBatch { for number in 0..<101 { try save("many-\(number)") } }
        while try stream.nextObject()["reload"] as? Bool != true {}
        try save("one")
        while try (stream.nextObject()["documents"] as? [[String: Any]])?.first?["id"] as? String != "one" {}
    }

    @Test("each line of the log is sent once")
    func log() throws {
        for number in 1...5 { served.log.writeLog(level: .info, domain: .query, message: "line \(number)") }
        let stream = try stream(#"{"topic":"log","after":3}"#)
        var found: [String] = []
        for (number, count) in [(6, 2), (7, 3), (8, 4)] {
            while found.count < count {
                for line in try #require(try stream.nextObject()["lines"] as? [[String: Any]]) {
                    found.append(line["text"] as? String ?? "")
                }
            }
            served.log.writeLog(level: .info, domain: .query, message: "line \(number)")
        }
        #expect(found == (4...7).map { "line \($0)" })
    }

    @Test("the list of databases is sent at once and after commits, but not the contents of a database that is not chosen")
    func databases() throws {
        let stream = try StreamClient(port: port, "/_look/api/stream", headers(), #"{"topic":"databases"}"#)
        for _ in 0..<2 {
            guard case .json(let list as [[String: Any]]) = try stream.next() else { return #expect(Bool(false), "no list was sent") }
            #expect(list.compactMap { $0["name"] as? String } == ["sample"])
            try save("new")
        }
        let other = try StreamClient(port: port, "/_look/api/stream", headers(), #"{"topic":"counters"}"#)
        #expect(try other.nextObject()["error"] as? String == "there is no such database")
    }

    @Test("the rows of a query are sent at once, and when they have changed")
    func query() throws {
        let stream = try stream(
            #"{"topic":"query","text":"SELECT n FROM _ WHERE n > $least ORDER BY n","parameters":{"least":1},"limit":2}"#
        )
        func rows(_ message: [String: Any]) throws -> [[Int]] { try #require(message["rows"] as? [[Int]]) }
        #expect(try rows(stream.nextObject()) == [])
        try save("a", #"{"n":3}"#)
        #expect(try rows(stream.nextObject()) == [[3]])
        // A document that is not in the result, which is not sent again.
        try save("b", #"{"n":1}"#)
        try save("c", #"{"n":2}"#)
        #expect(try rows(stream.nextObject()) == [[2], [3]])
        try save("d", #"{"n":4}"#)
        let cut = try stream.nextObject()
        #expect(try rows(cut) == [[2], [3]])
        #expect(cut["truncated"] as? Bool == true)
    }

    @Test("a query that takes too long is ended, and no other can take its time again")
    func endless() throws {
        let joins = "SELECT count(*) FROM _ AS a JOIN _ AS b ON a.x IS MISSING JOIN _ AS c ON b.x IS MISSING JOIN _ AS d ON c.x IS MISSING"
        let stream = try stream(#"{"topic":"query","text":"\#(joins)","seconds":0.01}"#)
        #expect(try (stream.nextObject()["error"] as? String)?.contains("took longer") == true)
        #expect(try served.database.createQuery("SELECT count(*) FROM _").execute().allResults().count == 1)
    }

    @Test(
        "a wrong request gets an error, and a code that says that another attempt is useless",
        arguments: [
            "", "[]", #"{"topic":"none"}"#, #"{"topic":"documents"}"#, #"{"topic":"query","text":"SELECT"}"#,
            #"{"topic":"query","text":"DELETE FROM _"}"#, #"{"topic":"query","text":"SELECT 1 FROM _ LIMIT $n"}"#,
            #"{"topic":"log","after":"x"}"#, #"{"topic":"log","after":-1}"#, #"{"topic":"documents","after":1e300}"#,
            #"{"topic":"query","text":"SELECT 1 FROM _","limit":-1}"#, #"{"topic":"query","text":"SELECT 1 FROM _","parameters":[1]}"#,
        ]
    )
    func wrong(_ request: String) throws {
        let stream = try stream(request)
        #expect(try (stream.nextObject()["error"] as? String)?.isEmpty == false)
        #expect(try stream.closeCode() == 4002)
    }

    @Test("a stream needs the cookie, and the header Origin with the address of the page")
    func access() throws {
        let headers = try headers()
        for (name, value, status) in [
            ("Cookie", "x=y", 401), ("Origin", "http://127.0.0.1:1", 403), ("Origin", "http://evil.example", 403),
            ("Sec-Fetch-Site", "cross-site", 403),
            ("Sec-Fetch-Site", "same-site", 403), ("Sec-Fetch-Site", "same-origin", 101),
        ] {
            var changed = headers
            changed[name] = value
            #expect(try stream("", changed).status == status, "\(name) \(value)")
        }
        #expect(try stream("", headers.filter { $0.key != "Origin" }).status == 400)
        #expect(try StreamClient(port: port, "/_look/none/api/stream", headers).status == 404)
        #expect(try LoopbackClient(port: port).request("GET", "/_look/sample/api/stream", headers).status == 400)
    }

    @Test("the streams of a browser are limited, and each is given back when the page closes")
    func limit() async throws {
        let headers = try headers()
        var streams: [StreamClient] = []
        for _ in 0..<16 {
            streams.append(try stream(#"{"topic":"counters"}"#, headers))
            #expect(try streams.last?.nextObject()["collections"] != nil)
        }
        #expect(served.inspector.streamCount == 16)
        let refused = try stream(#"{"topic":"counters"}"#, headers)
        #expect(try (refused.nextObject()["error"] as? String)?.contains("too many pages") == true)
        #expect(try refused.closeCode() == 4001)
        // Other browsers have their own. One that has not yet said what it shows counts, too.
        let other = try stream(nil)
        await waitForStreams(17)
        streams.removeFirst()
        await waitForStreams(16)
        streams.append(try stream(#"{"topic":"counters"}"#, headers))
        #expect(try streams.last?.nextObject()["collections"] != nil)
        withExtendedLifetime(other) { streams = [] }
        await waitForStreams(1)
    }

    @Test("nothing is observed any more when the pages have closed")
    func released() async throws {
        let headers = try headers()
        for request in [
            #"{"topic":"counters"}"#, #"{"topic":"log"}"#, #"{"topic":"documents","collection":"_default._default"}"#,
            #"{"topic":"query","text":"SELECT 1 FROM _"}"#,
        ] {
            let stream = try stream(request, headers)
            if request.contains("log") { served.log.writeLog(level: .info, domain: .query, message: "line") }
            #expect(try !stream.nextObject().isEmpty)
        }
        await waitForStreams(0)
        #expect(served.log.observers.count == 0)
    }

    @Test("a browser that loses its access because of others gets nothing more")
    func lostAccess() throws {
        let stream = try stream(#"{"topic":"counters"}"#)
        _ = try stream.nextObject()
        for _ in 0..<8 { _ = try headers() }
        try save("secret")
        #expect(try stream.closeCode() == 4002)
    }
}
#endif
