#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing
import TestTraits

@testable import Hub

@Suite("The table of the endpoints of a hub", .ownThreads)
struct HubRoutesTests {
    private let routes = HubRoutes(HubEndpoints.all)

    @Test("a path is found as the one in the table, and has one route")
    func paths() {
        #expect(Set(HubEndpoints.all.map(\.path)).count == HubEndpoints.all.count)
        for route in HubEndpoints.all {
            let path = route.path.split(separator: "/").map { $0.hasPrefix("{") ? "x" : String($0) }
            #expect(routes.route(of: path) === route, "\(route.path)")
        }
        #expect(routes.route(of: ["db", "a", "x", "y", "z"])?.path == "/{keyspace}/{document}/{attachment}")
        #expect(routes.route(of: ["db", "a", "_x"])?.path == "/{keyspace}/{document}/{attachment}")
    }

    @Test(
        "other paths have no route, such as those of documents whose IDs begin with an underscore",
        arguments: ["db/_none", "db/_local", "db/_local/a/b", "db/_x/y", "db/_user/a/b", "db/_changes/x", "db/_all_docs\u{301}"]
    )
    func others(path: String) { #expect(routes.route(of: path.split(separator: "/").map(String.init)) == nil) }

    @Test("the maximum size of a body is that of a path, also for a method that it does not have")
    func bodies() throws {
        var options = HubOptions(directory: "")
        (options.maximumDocumentSize, options.maximumAttachmentSize) = (3_000_000, 2_000_000)
        let sizes = [
            "db": 5_000_000, "db/a": 5_000_000, "db/a/x": 2_000_000, "db/_bulk_docs": 3_000_000, "db/_session": 4096, "db/_query": 1 << 20,
            "db/_blipsync": 1 << 20,
        ]
        for (path, size) in sizes {
            let route = try #require(routes.route(of: path.split(separator: "/").map(String.init)))
            #expect(route.maximumBodyBytes(options) == size, "\(path)")
        }
    }

    @Test("a database with the name metrics has precedence over the counters, also for large documents")
    func metricsDatabase() async throws {
        try await withHub { options in
            let config = DatabaseConfiguration()
            config.directory = options.directory
            try? Database(name: "metrics", config: config).close()
        } _: { hub in
            #expect(try await hub.send("GET", "/metrics").object["db_name"] as? String == "metrics")
            #expect(try await hub.send("GET", "/_metrics").text.contains("hub_requests_total"))
            let file = hub.directory.url.appendingPathComponent("large.json")
            try Data(#"{"_id":"a","text":"\#(String(repeating: "x", count: 2 << 20))"}"#.utf8).write(to: file)
            #expect(try await hub.send("POST", "/metrics", "@\(file.path)", headers: ["Expect": ""]).status == 200)
            #expect(try await hub.send("GET", "/metrics/a").status == 200)
        }
    }
}
#endif
