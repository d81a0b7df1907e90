import DocumentStore
import Foundation
import QueryEngine
import SQLiteEngine
import TestSupport
import TestTraits
import Testing

@Suite("Query plan descriptions")
struct QueryPlanTests {
    private let database: QueryDatabase

    init() throws {
        database = try QueryDatabase()
        try database.file.transaction { [database] _ in
            for n in 0..<1200 {
                try database.save(
                    "d\(n)",
                    #"{"n":\#(n % 10),"s":"Word \#(n)","tags":["t\#(n % 3)"],"ref":"h\#(n % 2)"}"#
                )
            }
            for n in 0..<2 { try database.save("h\(n)", #"{"name":"H"}"#, in: "shop.hotels") }
        }
        try create(IndexDefinition(name: "byN", text: "n, lower(s)"))
        try create(IndexDefinition(name: "byS", text: "s"))
    }

    private func create(_ definition: IndexDefinition, on name: String = "_default._default") throws {
        try database.indexes.create(definition, on: try database.collection(name))
    }

    private func plan(_ text: String) throws -> [String] {
        try database.prepare(text).plan(on: database.file).steps.map { step in
            String(repeating: "  ", count: step.depth) + step.text
        }
    }

    @Test(
        "a plan describes how each source is read and how rows are sorted",
        arguments: [
            ("SELECT n FROM _ WHERE n = 1", ["searches index byN of _default for n = ?"]),
            ("SELECT n FROM _ WHERE n = 1 AND lower(s) > 'a'", ["searches index byN of _default for n = ? and lower(s) > ?"]),
            ("SELECT n FROM _ WHERE n > 1 AND n < 5", ["searches index byN of _default for n > ? and n < ?"]),
            ("SELECT n FROM _ WHERE x = 1", ["reads all 1,200 documents of _default"]),
            ("SELECT n FROM _ ORDER BY s", ["reads all 1,200 documents of _default in the order of byS"]),
            ("SELECT n FROM _ WHERE meta().id = 'd1'", ["finds documents of _default by ID"]),
            (
                "SELECT d.n FROM _ AS d JOIN shop.hotels AS h ON meta(h).id = d.ref WHERE d.n = 1",
                ["searches index byN of _default for n = ?", "for each row: finds documents of shop.hotels by ID"]
            ),
            (
                "SELECT d.n FROM shop.hotels AS h LEFT JOIN _ AS d ON d.s = h.name",
                [
                    "reads all 2 documents of shop.hotels",
                    "for each row: searches index byS of _default for s = ?, and keeps the row if nothing is found",
                ]
            ),
            (
                "SELECT n FROM _ ORDER BY x DESC, s",
                [
                    "reads all 1,200 documents of _default",
                    "sorts the rows by x DESC, s: no index provides this order",
                ]
            ),
            (
                "SELECT x, count(*) FROM _ GROUP BY x",
                [
                    "reads all 1,200 documents of _default",
                    "sorts the rows to group them by x: no index provides this order",
                ]
            ),
            (
                "SELECT DISTINCT x FROM _",
                ["reads all 1,200 documents of _default", "stores the rows to remove duplicates"]
            ),
            (
                "SELECT d.n FROM _ AS d UNNEST d.tags AS t WHERE t = 't1'",
                [
                    "reads all 1,200 documents of _default",
                    "for each row: reads the elements of d.tags from each document",
                ]
            ),
            (
                "SELECT n FROM _ WHERE n = 1 OR s = 'a'",
                [
                    "combines the results of each operand of OR:", "  operand 1:", "    searches index byN of _default for n = ?",
                    "  operand 2:", "    searches index byS of _default for s = ?",
                ]
            ),
            (
                "SELECT n FROM _ WHERE n = 1 AND ANY t IN tags SATISFIES t > 't' END",
                ["searches index byN of _default for n = ?", "runs a subquery for each row:", "  tests each array element t"]
            ),
        ]
    )
    func steps(text: String, expected: [String]) throws {
        #expect(try plan(text) == expected)
    }

    @Test("a plan names array indexes and their tables")
    func arrays() throws {
        try create(IndexDefinition(name: "tags", kind: .array(path: "tags"), text: ""))
        #expect(
            try plan("SELECT d.n FROM _ AS d UNNEST d.tags AS t WHERE t = 't1'") == [
                "searches array index tags for element = ?", "for each row: fetches the document from _default",
            ]
        )
        #expect(
            try plan("SELECT t FROM _ AS d UNNEST d.tags AS t WHERE d.n = 3") == [
                "searches index byN of _default for n = ?",
                "for each row: reads the elements of d.tags from the table of the array index",
            ]
        )
    }

    @Test("a plan states whether the terms of a full-text index differ from those of Couchbase Lite")
    func fullText() throws {
        for (name, language) in [("english", "en"), ("japanese", "ja")] {
            let options = FullTextIndexOptions(language: language)
            try create(IndexDefinition(name: name, kind: .fullText(options), text: "s"))
        }
        #expect(try plan("SELECT n FROM _ WHERE match(english, 'a')").first == "searches full-text index english")
        #expect(
            try plan("SELECT n FROM _ WHERE match(japanese, 'a')").first
                == "searches full-text index japanese, whose text is split into words by dictionary (Couchbase Lite does not support this)"
        )
    }

    @Test("a plan says when the matches of a full-text search are sorted")
    func rank() throws {
        try create(IndexDefinition(name: "texts", kind: .fullText(FullTextIndexOptions(language: "en")), text: "s"))
        let search = "SELECT n FROM _ WHERE match(texts, 'a') ORDER BY rank(texts)"
        #expect(
            try plan(search) == [
                "searches full-text index texts", "for each row: fetches the document from _default",
                "sorts the rows by rank(texts): no index provides this order",
            ]
        )
        #expect(
            try plan(search + " DESC LIMIT 3") == [
                "searches full-text index texts", "sorts the matches by rank(texts) DESC",
                "for each of the first rows: fetches the document from _default",
            ]
        )
    }

    @Test("a plan for the nearest vectors without a vector index says that one would help")
    func distances() throws {
        let advice = "; with a vector index, APPROX_VECTOR_DISTANCE finds the nearest documents without reading all"
        func isAdvised(_ query: String) throws -> Bool { try plan(query).contains { $0.hasSuffix(advice) } }
        #expect(try isAdvised("SELECT n FROM _ ORDER BY euclidean_distance(v, [1, 2]) LIMIT 3"))
        #expect(try isAdvised("SELECT Cosine_Distance([1, 2], v) AS d FROM _ WHERE x = 1 ORDER BY d LIMIT 3"))
        for order in [
            "euclidean_distance(v, [1, 2])", "euclidean_distance(v, [1, 2]) DESC LIMIT 3", "euclidean_distance(v, w) LIMIT 3", "x LIMIT 3",
        ] {
            #expect(try !isAdvised("SELECT n FROM _ ORDER BY \(order)"), "\(order)")
        }
    }

    @Test("a plan step has the kind, the collection, the index and the number of documents")
    func values() throws {
        let steps = try database.prepare("SELECT d.n FROM shop.hotels AS h JOIN _ AS d ON d.s = h.name").plan(on: database.file)
            .steps
        #expect(steps.map(\.kind) == [.scan, .search])
        #expect(steps.map(\.collection) == ["shop.hotels", "_default"])
        #expect(steps.map(\.index) == [nil, "byS"])
        #expect(steps.map(\.documentCount) == [2, nil])
    }

    @Test("a plan names the collections of two queries, one nested in the other, that use the same alias")
    func aliases() throws {
        let nested = "EXISTS (SELECT d.name FROM shop.hotels AS d WHERE d.name = 'H')"
        let both = try plan("SELECT d.n FROM _ AS d WHERE d.x = 1 AND \(nested)")
        #expect(both.contains("reads all 1,200 documents of _default"))
        #expect(both.contains("  reads all 2 documents of shop.hotels"))
    }

    @Test("a plan mentions deleted documents")
    func deleted() throws {
        try database.delete("d1")
        let all = try plan("SELECT meta().id FROM _ WHERE meta().deleted OR n = 99")
        #expect(all.contains { $0.contains("deleted documents of _default") })
        #expect(all.contains { $0.contains("1,199 documents of _default") })
        #expect(all.filter { $0.hasSuffix("one of the two:") }.count == 2 && !all.contains { $0.contains("runs a subquery") })
    }

    @Test("a plan shows an index created after the query was compiled")
    func later() throws {
        let query = try database.prepare("SELECT d.n FROM _ AS d UNNEST d.tags AS t WHERE t = 't1' AND d.x = 5")
        try create(IndexDefinition(name: "later", text: "x"))
        #expect(try query.plan(on: database.file).steps[0].index == "later")
    }

    @Test("the plan of a travel-sample query shows a scan and a sort, and then the advised index")
    func fixtures() throws {
        let directory = try TemporaryDirectory()
        let copy = try directory.copy(RealDatabase.url("travel-sample"))
        let travel = try QueryDatabase(path: copy.path, directory: directory)
        let query = try travel.prepare("SELECT name FROM _ WHERE type = 'airline' AND country = 'France' ORDER BY name")
        let plan = try query.plan(on: travel.file)
        #expect(plan.steps.map(\.kind) == [.scan, .sort])
        let advice = try #require(plan.advice.first)
        #expect(advice.expressions == ["type", "country", "name"])
        let before = try travel.rows("SELECT name FROM _ WHERE type = 'airline' AND country = 'France' ORDER BY name")
        try travel.indexes.create(advice.definition, on: try travel.collection())
        #expect(try query.plan(on: travel.file).steps.map(\.index) == [advice.name])
        #expect(try travel.rows("SELECT name FROM _ WHERE type = 'airline' AND country = 'France' ORDER BY name") == before)
    }
}

extension PlanDescription.Advice {
    /// The index that is advised.
    var definition: IndexDefinition {
        let kind = vectorOptions.map { IndexDefinition.Kind.vector($0) } ?? arrayPath.map { .array(path: $0) } ?? .value
        return IndexDefinition(name: name, kind: kind, text: expressions.joined(separator: ", "))
    }
}
