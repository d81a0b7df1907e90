import DocumentStore
import Fleece
import QueryEngine
import QueryLanguage
import SQLiteEngine
import Testing
import VectorSearch

/// `APPROX_VECTOR_DISTANCE` in queries (Vector search 6).
@Suite("Vector query")
struct VectorQueryTests {
    @Test("the nearest documents are found in order")
    func theNearestDocumentsAreFoundInOrder() throws {
        let words = try VectorDatabase.withPoints(20)
        #expect(try words.nearest(3, target: "[7.2,0]") == ["w7", "w8", "w6"])
        #expect(
            try words.rows("SELECT n, APPROX_VECTOR_DISTANCE(vector, $t) AS d FROM words ORDER BY d LIMIT 2", target: "[3,4]")
                == ["3 16.0", "2 17.0"]
        )
        // Without ORDER BY the nearest come first too.
        #expect(
            try words.rows("SELECT n FROM words WHERE approx_vector_distance(vector, $t) < 5 LIMIT 4", target: "[5,0]") == [
                "5", "4", "6", "3",
            ]
        )
    }

    @Test("all forms of a target give the same")
    func allFormsOfATargetGiveTheSame() throws {
        let words = try VectorDatabase.withPoints(10)
        // 3 and 0 as little-endian floats.
        for target in ["[3,0]", "[3.0,0.0]", "\"AABAQAAAAAA=\""] {
            #expect(try words.nearest(3, target: target) == ["w3", "w2", "w4"], "\(target)")
        }
        #expect(try words.database.rows("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, [4, 0]) LIMIT 1") == ["4"])
    }

    @Test("targets that are no vectors are errors of SQLite when the query runs")
    func targetsThatAreNoVectorsAreErrorsOfSQLiteWhenTheQueryRuns() throws {
        let words = try VectorDatabase.withPoints(3)
        let messages = [
            "[1]": "wrong number of dimensions", "[1,2,3]": "wrong number of dimensions", "[1,true]": "non-numeric",
            "\"x\"": "wrong length",
            "null": "wrong type", "5": "wrong type", "[1e39,0]": "not a finite number", "{}": "wrong type",
        ]
        for (target, message) in messages {
            let error = #expect(throws: SQLiteError.self, "\(target)") { try words.nearest(3, target: target) }
            #expect(error?.code == 1)
            #expect(error?.message.contains(message) ?? false, "\(error?.message ?? "")")
        }
        #expect(throws: SQLiteError.self) {
            try words.database.rows("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 1")
        }
    }

    @Test(arguments: [
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t)", "a LIMIT must be given"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 10001", "LIMIT must not exceed 10000"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 10000 OFFSET 1", "LIMIT must not exceed 10000"),
        ("SELECT n FROM words WHERE n = 1 OR APPROX_VECTOR_DISTANCE(vector, $t) < 1", "can't be used within an OR in a WHERE clause"),
        ("SELECT APPROX_VECTOR_DISTANCE(vector, $t) AS d FROM words WHERE NOT (d < 1 OR n = 1)", "can't be used within an OR"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE('words_index', $t) LIMIT 1", "unknown source collection"),
        (
            "SELECT a.n FROM words a JOIN words b ON a.n = b.n ORDER BY APPROX_VECTOR_DISTANCE([a.vector, b.n], $t) LIMIT 1",
            "single collection"
        ),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, 'x') LIMIT 1", "invalid metric name 'x'"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, '') LIMIT 1", "must be a string"),
        (
            "SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, 'COSINE') LIMIT 1",
            "cosine does not match the index's metric, euclidean2"
        ),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, 'L2_SQUARED', 0) LIMIT 1", "out of range"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, 'L2_SQUARED', -1) LIMIT 1", "out of range"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, 'L2_SQUARED', 4294967296) LIMIT 1", "out of range"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, 'L2_SQUARED', 1.5) LIMIT 1", "must be an integer"),
        (
            "SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, 'L2_SQUARED', 1, TRUE) LIMIT 1",
            "does not support 'accurate'=true"
        ),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, 'L2_SQUARED', 1, 0) LIMIT 1", "must be boolean"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector) LIMIT 1", "Too few arguments"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t, 'L2', 1, FALSE, 1) LIMIT 1", "Too many arguments"),
        ("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, vector) LIMIT 1", "must not depend on a document"),
        ("SELECT count(*) FROM words GROUP BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 1", "can't be used in a GROUP BY clause"),
        ("SELECT a.n FROM words a JOIN words b ON APPROX_VECTOR_DISTANCE(a.vector, $t) < 1 LIMIT 1", "ON clause"),
    ])
    func mistakesAreInvalidQueries(_ text: String, _ message: String) throws {
        let words = try VectorDatabase.withPoints(3)
        let error = #expect(throws: QueryError.self) { try words.database.prepare(text) }
        #expect(error?.kind == .invalidQuery)
        #expect(error?.message.contains(message) ?? false, "\(error?.message ?? "")")
    }

    @Test("a query needs an index on the same expression")
    func aQueryNeedsAnIndexOnTheSameExpression() throws {
        let words = try VectorDatabase.withPoints(3)
        let error = #expect(throws: QueryError.self) {
            try words.database.prepare("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(other.v, $t) LIMIT 1")
        }
        #expect(error?.kind == .missingIndex)
        #expect(error?.message == #"vector search with APPROX_VECTOR_DISTANCE requires a vector index on [".other.v"]"#)
        try words.createIndex("sums", expression: "ARRAY_OF(vector[0] + 1, vector[1])")
        #expect(try words.nearest(1, target: "[3,0]", distance: "APPROX_VECTOR_DISTANCE(array_of(vector[0]+1,   vector[1]), $t)") == ["w2"])
        #expect(throws: QueryError.self) { try words.nearest(distance: "APPROX_VECTOR_DISTANCE(array_of(1 + vector[0], vector[1]), $t)") }
    }

    @Test("spellings of the source do not matter")
    func spellingsOfTheSourceDoNotMatter() throws {
        let words = try VectorDatabase.withPoints(5)
        for text in [
            "SELECT w.n FROM words AS w ORDER BY APPROX_VECTOR_DISTANCE(w.vector, $t) LIMIT 1",
            "SELECT words.n FROM words ORDER BY APPROX_VECTOR_DISTANCE(words.vector, $t) LIMIT 1",
            "SELECT n FROM _default.words ORDER BY APPROX_VECTOR_DISTANCE(words.vector, $t) LIMIT 1",
        ] {
            #expect(try words.rows(text, target: "[3,0]") == ["3"])
        }
        let json =
            #"{"WHAT":[[".n"]],"FROM":[{"COLLECTION":"words"}],"ORDER_BY":[["APPROX_VECTOR_DISTANCE()",[".vector"],["$t"]]],"LIMIT":1}"#
        let rows = try words.database.prepare(json: json).run(on: words.database.file, parameters: QueryParameters(json: #"{"t":[2,0]}"#))
        #expect(try rows.json(0) == "2")
    }

    @Test("a query with conditions finds all that satisfy them")
    func aQueryWithConditionsFindsAllThatSatisfyThem() throws {
        let words = try VectorDatabase.withPoints(40)
        try words.database.save("none", #"{"even":true}"#, in: "words")
        #expect(
            try words.rows("SELECT n FROM words WHERE even AND n > 30 ORDER BY APPROX_VECTOR_DISTANCE(vector, $t)") == [
                "32", "34", "36", "38",
            ]
        )
        #expect(
            try words.rows("SELECT n FROM words WHERE even = true AND APPROX_VECTOR_DISTANCE(vector, $t) < 20 ORDER BY n DESC")
                == ["4", "2", "0"]
        )
        #expect(try words.rows("SELECT count(*) FROM words WHERE even AND APPROX_VECTOR_DISTANCE(vector, $t) >= 0") == ["20"])
    }

    @Test("limit and offset count the nearest")
    func limitAndOffsetCountTheNearest() throws {
        let words = try VectorDatabase.withPoints(40)
        #expect(try words.rows("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 3 OFFSET 2") == ["2", "3", "4"])
        for limit in ["0", "-1"] {
            #expect(try words.rows("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT \(limit)").isEmpty)
        }
        let query = "SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, [0, 0]) LIMIT $n"
        #expect(try words.database.rows(query, QueryParameters(json: #"{"n":2}"#)) == ["0", "1"])
        #expect(throws: QueryError.invalidQuery("LIMIT must not exceed 10000 when using APPROX_VECTOR_DISTANCE()")) {
            try words.database.rows(query, QueryParameters(json: #"{"n":10001}"#))
        }
        #expect(try words.rows("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) DESC LIMIT 3") == ["2", "1", "0"])
    }

    @Test("joins filter the nearest")
    func joinsFilterTheNearest() throws {
        let words = try VectorDatabase.withPoints(20)
        for n in [1, 3, 11] { try words.database.save("r\(n)", #"{"word":"w\#(n)"}"#, in: "links") }
        let join = "FROM words AS w JOIN links AS l ON meta(w).id = l.word"
        #expect(try words.rows("SELECT w.n \(join) ORDER BY APPROX_VECTOR_DISTANCE(w.vector, $t) LIMIT 5") == ["1", "3"])
        #expect(try words.rows("SELECT w.n \(join) WHERE w.n > 2 ORDER BY APPROX_VECTOR_DISTANCE(w.vector, $t)") == ["3", "11"])
        let left = "FROM links AS l LEFT JOIN words AS w ON meta(w).id = l.word"
        #expect(try words.rows("SELECT w.n \(left) ORDER BY APPROX_VECTOR_DISTANCE(w.vector, $t) LIMIT 5") == ["1", "3"])
    }

    @Test("groups are made of the nearest")
    func groupsAreMadeOfTheNearest() throws {
        let words = try VectorDatabase.withPoints(20)
        #expect(
            try words.rows("SELECT even, count(*), min(APPROX_VECTOR_DISTANCE(vector, $t)) FROM words GROUP BY even ORDER BY even LIMIT 5")
                == ["false 2 1.0", "true 3 0.0"]
        )
    }

    @Test("several targets are several searches")
    func severalTargetsAreSeveralSearches() throws {
        let words = try VectorDatabase.withPoints(20)
        let query =
            "SELECT n, APPROX_VECTOR_DISTANCE(vector, $t) AS a, APPROX_VECTOR_DISTANCE(vector, [3, 0]) AS b FROM words ORDER BY a LIMIT 3"
        // Each finds three; the result has those that both have found.
        #expect(try words.rows(query) == ["2 4.0 1.0"])
    }

    @Test("full text search can be combined")
    func fullTextSearchCanBeCombined() throws {
        let words = try VectorDatabase()
        for n in 0..<10 { try words.save("w\(n)", n, 0, more: #","text":"\#(n % 3 == 0 ? "red" : "blue") house","n":\#(n)"#) }
        try words.createIndex()
        try words.database.indexes.create(IndexDefinition(name: "texts", kind: .fullText(.init()), text: "text"), on: words.words)
        let query = "SELECT n FROM words WHERE MATCH(texts, 'red') ORDER BY APPROX_VECTOR_DISTANCE(vector, $t)"
        #expect(try words.rows(query, target: "[5,0]") == ["6", "3", "9", "0"])
    }

    @Test("the metric of the index is used")
    func theMetricOfTheIndexIsUsed() throws {
        let words = try VectorDatabase()
        try words.save("a", 1, 0)
        try words.save("b", 10, 10)
        try words.save("c", 0, 0)
        let expected: [(VectorMetric, String, [String])] = [
            (.euclideanSquared, "EUCLIDEAN_SQUARED", ["\"c\" 2", "\"a\" 1", "\"b\" 162"]),
            (.euclidean, "L2", ["\"a\" 1", "\"b\" 12.727922061357855"]),
            (.cosine, "cosine", ["\"b\" 0", "\"c\" 1"]), (.dot, "DOT", ["\"b\" -20", "\"a\" -1"]),
        ]
        for (metric, name, rows) in expected {
            try words.createIndex(options: VectorIndexOptions(dimensions: 2, centroids: 1, metric: metric))
            let query = "SELECT meta().id, APPROX_VECTOR_DISTANCE(vector, $t, '\(name)') AS d FROM words ORDER BY d LIMIT 3"
            let found = try words.rows(query, target: "[1,1]")
            for row in rows { #expect(found.contains { $0.hasPrefix(row) }, "\(name) \(found)") }
            #expect(try words.rows(query.replacing(", '\(name)'", with: ""), target: "[1,1]") == found)
        }
    }

    @Test("the plan names the index")
    func thePlanNamesTheIndex() throws {
        let words = try VectorDatabase.withPoints(5)
        let query = try words.database.prepare("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, $t) LIMIT 5")
        #expect(try query.explain(on: words.database.file).contains("kv_.words:vector:words_index"))
        #expect(query.compiled.vectorSearches.map(\.index.name) == ["words_index"])
    }

    @Test("a deleted index is missing also for a prepared query")
    func aDeletedIndexIsMissingAlsoForAPreparedQuery() throws {
        let words = try VectorDatabase.withPoints(5)
        let query = try words.database.prepare("SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, [0, 0]) LIMIT 5")
        #expect(try query.run(on: words.database.file).count == 5)
        try words.database.indexes.delete("words_index", on: words.words)
        #expect(throws: QueryError.self) { try query.run(on: words.database.file) }
    }
}
