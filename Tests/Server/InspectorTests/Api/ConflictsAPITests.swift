import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite("Conflicts, counters and the log in the inspector's API")
struct ConflictsAPITests {
    private let sample: SampleDatabase
    private let database: Database
    private let api: Calls

    init() throws {
        sample = try SampleDatabase()
        database = try sample.open()
        api = Calls(database)
    }

    private func conflict() throws -> [String: Any] {
        try #require((api.succeed("GET", "conflicts")["conflicts"] as? [[String: Any]])?.first)
    }

    private func revision(_ version: String) throws -> String {
        try #require((try conflict()[version] as? [String: Any])?["rev"] as? String)
    }

    private func resolve(_ keep: String, body: String? = nil) throws -> String {
        var object = ["collection": "_default._default", "id": "torn", "keep": keep]
        object["local"] = try revision("local")
        object["remote"] = try revision("remote")
        object["body"] = body
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    @Test("a conflict has both versions and the common ancestor")
    func versions() throws {
        let conflict = try conflict()
        let bodies = ["local", "remote", "base"].map { (conflict[$0] as? [String: Any])?["body"] as? String ?? "" }
        #expect(bodies[0].contains("Mine"))
        #expect(bodies[1].contains("Theirs"))
        #expect(bodies[2].contains("Base"))
    }

    @Test(
        "a conflict is resolved with the local, the remote or a merged version",
        arguments: [("local", "Mine"), ("remote", "Theirs"), ("merged", "Both")]
    )
    func resolving(_ keep: String, _ title: String) throws {
        _ = api.succeed("POST", "conflicts", body: try resolve(keep, body: #"{"title":"Both"}"#))
        #expect(api.succeed("GET", "conflicts")["total"] as? Int == 0)
        #expect(try database.defaultCollection().document(id: "torn")?.string(forKey: "title") == title)
    }

    @Test("a conflict that has changed since it was read is not resolved")
    func changed() throws {
        let body = try resolve("remote")
        let document = try #require(try database.defaultCollection().document(id: "torn")?.toMutable())
        try database.defaultCollection().save(document: document.setString("Newer", forKey: "title"))
        api.fail(409, "POST", "conflicts", body: body)
        #expect(try database.defaultCollection().document(id: "torn")?.string(forKey: "title") == "Newer")
        api.fail(400, "POST", "conflicts", body: try resolve("both"))
        api.fail(400, "POST", "conflicts", body: try resolve("merged", body: "[]"))
    }

    @Test("the counters tell what each collection contains")
    func counters() throws {
        var collections: [[String: Any]] = []
        // The documents are counted in the background.
        repeat {
            collections = try #require(api.succeed("GET", "counters")["collections"] as? [[String: Any]])
        } while collections.contains { $0["documents"] is NSNull }
        #expect(collections.map { $0["name"] as? String } == ["_default._default", "travel.hotels", "travel.room10", "travel.room2"])
        #expect(collections[0]["documents"] as? Int == 124)
        #expect(collections[1]["documents"] as? Int == 0)
    }

    @Test("the log has the last lines, each once")
    func log() throws {
        let log = api.inspected.log
        for number in 0..<3_000 { log.writeLog(level: .info, domain: .query, message: "line \(number)") }
        let lines = try #require(api.succeed("GET", "log", ["after": "2990"])["lines"] as? [[String: Any]])
        #expect(lines.map { $0["text"] as? String } == (2990..<3000).map { "line \($0)" })
        let all = try #require(api.succeed("GET", "log")["lines"] as? [[String: Any]])
        #expect(all.count >= 2_000 && all.count <= 2_200)
    }
}
