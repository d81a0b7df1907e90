import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("The guide to the query language")
struct QueryLanguageGuideTests {
    private static let page = try? String(
        contentsOf: Fixtures.packageRoot
            .appendingPathComponent("Sources/Library/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/QueryLanguage.md"),
        encoding: .utf8
    )

    @Test("every statement of the guide to the query language can be compiled and run")
    func statements() throws {
        let test = try TestDatabase()
        for name in ["hotels", "reviews", "archive"] {
            let collection = try test.database.createCollection(name: name)
            try collection.save(document: MutableDocument(json: #"{"name":"x","opened":"2020-01-01","rooms":[]}"#))
        }
        let hotels = try test.database.createCollection(name: "hotels")
        try hotels.createIndex(withName: "texts", config: FullTextIndexConfiguration(["name"]))
        try hotels.createIndex(withName: "vectors", config: VectorIndexConfiguration(expression: "embedding", dimensions: 2, centroids: 1))
        let page = try #require(Self.page)
        let statements = page.components(separatedBy: "```sql\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        #expect(statements.count == 12)
        let values: [String: Any] = [
            "least": 1, "city": "La Paz", "stars": 5, "now": "2026-01-01", "hotel": ["name": "Astoria"], "words": "quiet",
            "vector": [0.5, 1],
        ]
        for statement in statements {
            let used = values.filter { statement.contains("$" + $0.key) }
            try test.database.execute(QueryText(verbatim: statement), parameters: Parameters(used))
        }
    }

    @Test("every function of the guide to the query language exists")
    func functions() throws {
        let test = try TestDatabase()
        let page = try #require(Self.page)
        let table = try #require(page.components(separatedBy: "## Functions").last)
        let names = table.components(separatedBy: "`").enumerated()
            .filter { $0.offset % 2 == 1 }
            .map { $0.element.components(separatedBy: "(")[0] }
            .filter { name in !name.isEmpty && name.allSatisfy { $0.isLowercase || $0 == "_" || $0.isNumber } }
        #expect(names.count > 70)
        for name in names where !["match", "rank", "count"].contains(name) {
            let works = (0...3).contains { count in
                let arguments = Array(repeating: "x", count: count).joined(separator: ", ")
                return (try? test.database.createQuery("SELECT \(name)(\(arguments)) FROM _")) != nil
            }
            #expect(works, "\(name)")
        }
    }
}
