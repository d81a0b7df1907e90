import CouchbaseLiteSwift
import DocumentStore
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Inspector

@Suite("A database of 200,000 documents in the inspector", .ownThreads)
struct LargeDatabaseTests {
    /// What the connections that read may do: SQLite takes several steps for each row, so this is enough for a small part of the documents.
    private static let maximumSteps = 100_000

    @Test("the calls with which the page opens read a small part of the documents, and do not count them")
    func calls() throws {
        let large = try LargeDatabase()
        let database = try large.open(maximumSteps: Self.maximumSteps)
        let api = Calls(database)
        #expect(api.succeed("GET", "database")["name"] as? String == "large")
        let collections = api.succeed("GET", "collections")[""] as? [[String: Any]]
        #expect(collections?.first?["documents"] is NSNull)
        #expect(collections?.first?["lastSequence"] as? Int == LargeDatabase.count)
        let first = try #require(api.succeed("GET", "documents", ["limit": "60"])["documents"] as? [[String: Any]])
        #expect(first.count == 60)
        let last = try #require(first.last?["id"] as? String)
        let second = api.succeed("GET", "documents", ["limit": "200", "after": last])["documents"] as? [[String: Any]]
        #expect(second?.count == 200)
        #expect((second?.first?["id"] as? String) == "document-1000060")
        let middle = api.succeed("GET", "documents", ["from": "document-1100000", "limit": "1"])["documents"] as? [[String: Any]]
        #expect((middle?.first?["id"] as? String) == "document-1100000")
        #expect(api.succeed("GET", "schema")["documents"] as? Int == 500)
        _ = api.succeed("GET", "indexes")
        // Nothing of this has counted the documents in the background, for which the steps are not enough.
        let again = api.succeed("GET", "collections")[""] as? [[String: Any]]
        #expect(again?.first?["documents"] is NSNull)
        #expect(throws: (any Error).self) { try database.defaultCollection().store.count() }
        try database.close()
    }

    #if Replication
    @Test(
        "the page opens with few requests, which read few documents",
        .enabled(if: Chromium.isInstalled, "Chromium is not installed"),
        .runsProgram(of: .tool)
    )
    func page() throws {
        let large = try LargeDatabase()
        let inspector = try ProcessRunner(product: "cblite").start(["inspect", large.path])
        defer { inspector.kill() }
        let link = try #require(inspector.waitForOutput(lines: 1).first)
        try Chromium.run("drive.py", [link, "--work"])
        inspector.kill(SIGINT)
        #expect(inspector.waitUntilExit().exitCode == 0)
    }
    #endif
}
