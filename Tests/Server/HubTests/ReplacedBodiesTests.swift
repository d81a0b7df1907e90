#if Replication
import CouchbaseLiteTestSupport
import DocumentStore
import Fleece
import Foundation
import Replication
import TestSupport
import Testing

@testable import Hub

@Suite("Bodies of replaced revisions")
struct ReplacedBodiesTests {
    private let clock = TestClock()
    private let bodies: ReplacedBodies

    init() { bodies = ReplacedBodies(clock: clock) }

    private func keep(_ id: String, size: Int = 10, _ collection: CollectionID = .default, in database: String = "db") throws {
        let data = try FleeceData.parsing(json: Array(#"{"t":"\#(String(repeating: "x", count: size))"}"#.utf8))
        let record = DocumentRecord(id, try #require(RevisionID("1-aa")), isDeleted: false, data, .empty)
        bodies.keep(FilteredRevision(record), of: collection, in: database)
    }

    private func isKept(_ id: String, _ collection: CollectionID = .default, in database: String = "db") throws -> Bool {
        bodies.body(of: try #require(RevisionID("1-aa")), id, collection, in: database) != nil
    }

    @Test("a body is kept for five minutes, and its memory is returned without another request")
    func time() throws {
        try keep("a")
        clock.advance(by: .seconds(200))
        try keep("b")
        clock.advance(by: .seconds(99))
        #expect(try isKept("a") && isKept("b"))
        clock.advance(by: .seconds(1))
        #expect(try !isKept("a") && isKept("b"))
        clock.advance(by: .seconds(600))
        #expect(bodies.size == 0)
        try keep("c")
        #expect(try isKept("c"))
        clock.advance(by: .seconds(601))
        #expect(bodies.size == 0)
    }

    @Test("the oldest bodies are dropped when all together are too large, and one that is too large alone is not kept")
    func size() throws {
        let part = ReplacedBodies.maximumSize / 8
        for number in 0..<10 { try keep("\(number)", size: part) }
        #expect(bodies.size <= ReplacedBodies.maximumSize)
        #expect(try !isKept("0") && isKept("9") && isKept("4"))
        try keep("large", size: ReplacedBodies.maximumBody)
        #expect(try !isKept("large") && isKept("9"))
        for number in 0..<100_000 { try keep("small-\(number)") }
        #expect(bodies.size <= ReplacedBodies.maximumSize)
        #expect(try isKept("small-99999") && !isKept("9"))
    }

    @Test("the bodies of documents with the same ID in other collections and databases are other bodies")
    func names() throws {
        let other = try CollectionID(name: "c", scope: "s")
        try keep("a", other, in: "db")
        #expect(try isKept("a", other, in: "db"))
        #expect(try !isKept("a") && !isKept("a", other, in: "other"))
        #expect(try !isKept("A", other, in: "db"))
    }
}
#endif
