import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import TestSupport
import Testing
import VectorSearch

/// Which values of documents are vectors, and their distances (Vector search T-1, T-6, T-7, T-9).
@Suite("Vector values")
struct VectorValueTests {
    private func bytes(_ numbers: [Float]) -> [UInt8] {
        numbers.flatMap { number in withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) } }
    }

    private func base64(_ numbers: [Float]) -> String { "\"\(Data(bytes(numbers)).base64EncodedString())\"" }

    @Test("numbers of every kind are components; what is no finite 32-bit number makes the value no vector")
    func components() throws {
        let words = try VectorDatabase.withPoints(0)
        let accepted: [(String, Double)] = [
            ("[-0.0,1]", 1), ("[1e-45,0]", 0), ("[1,2.5]", 7.25), ("[16777217,0]", 281_474_976_710_656), ("[3.4e38,0]", .infinity),
            ("[1e-400,2]", 4), (base64([3, 4]), 25), (base64([-0.0, 2]), 4),
        ]
        let refused = [
            "[1e39,0]", "[-1e39,0]", "[true,1]", "[1,false]", "[null,1]", "[1]", "[]", "[1,2,3]", "[[1,2]]", "[\"1\",2]", "{\"0\":1}", "1",
            "\"\"", "\"AAAA\"", "\"AAAAAAAA\"", "\"%%%%\"", base64([.nan, 1]), base64([.infinity, 1]), base64([1]), base64([1, 2, 3]),
            "true",
        ]
        for (number, value) in (accepted.map(\.0) + refused).enumerated() {
            try words.database.save("v\(number)", #"{"vector":\#(value)}"#, in: "words")
        }
        let rows = try words.rows("SELECT meta().id, APPROX_VECTOR_DISTANCE(vector, $t) AS d FROM words ORDER BY meta().id LIMIT 100")
        // An infinite distance is none that JSON has.
        #expect(rows.count == accepted.count, "\(rows)")
        for (number, (value, distance)) in accepted.enumerated() where distance.isFinite {
            let found = rows.first { $0.hasPrefix("\"v\(number)\" ") }.flatMap { Double($0.split(separator: " ").last ?? "") }
            #expect(found == distance, "\(value)")
        }
        #expect(try words.findings() == [])
    }

    // L-1, T-7
    @Test("an array, base64 and data are the same vector, in documents and as a target, and documents of other shapes do not matter")
    func forms() throws {
        let words = try VectorDatabase.withPoints(0)
        let collection = try words.words
        try words.database.file.transaction { writer in
            for (id, vector) in [("data", bytes([3, 4])), ("data of another length", Array(bytes([3, 4]).dropLast()))] {
                _ = try collection.save(DocumentSave(id, base: .latest), in: writer) { encoder in
                    encoder.beginDictionary()
                    encoder.writeKey("vector")
                    vector.withUnsafeBytes { encoder.write(data: $0) }
                    encoder.endDictionary()
                    return false
                }
            }
        }
        try words.save("array", 3, 4)
        try words.database.save("base64", #"{"vector":\#(base64([3, 4]))}"#, in: "words")
        try words.database.save("other", #"{"name":{"vector":[3,4]},"vectors":[[3,4]]}"#, in: "words")
        var encoder = Encoder()
        bytes([1, 0]).withUnsafeBytes { encoder.write(data: $0) }
        var data = QueryParameters()
        data["t"] = try encoder.finishedData()
        let targets = [try QueryParameters(json: #"{"t":[1,0]}"#), try QueryParameters(json: #"{"t":\#(base64([1, 0]))}"#), data]
        let query = "SELECT meta().id, APPROX_VECTOR_DISTANCE(vector, $t) AS d FROM words ORDER BY meta().id LIMIT 10"
        for target in targets {
            #expect(try words.database.rows(query, target) == [#""array" 20.0"#, #""base64" 20.0"#, #""data" 20.0"#])
        }
        #expect(try words.findings() == [])
    }

    @Test("vectors have up to 4096 components")
    func largest() throws {
        let words = try VectorDatabase.withPoints(0, VectorIndexOptions(dimensions: 4096, centroids: 1))
        func array(_ count: Int) -> String { "[\((0..<count).map { "\($0 % 2)" }.joined(separator: ","))]" }
        try words.database.save("fits", #"{"vector":\#(array(4096))}"#, in: "words")
        try words.database.save("long", #"{"vector":\#(array(4097))}"#, in: "words")
        try words.database.save("text", #"{"vector":\#(base64((0..<4096).map { Float($0 % 2) }))}"#, in: "words")
        let target = "[\(Array(repeating: "0", count: 4096).joined(separator: ","))]"
        let rows = try words.rows(
            "SELECT meta().id, APPROX_VECTOR_DISTANCE(vector, $t) FROM words ORDER BY meta().id LIMIT 5",
            target: target
        )
        #expect(rows == ["\"fits\" 2048.0", "\"text\" 2048.0"])
        #expect(throws: (any Error).self) { try words.rows("SELECT APPROX_VECTOR_DISTANCE(vector, $t) FROM words LIMIT 5") }
    }

    @Test("an exact search gives the distances of a plain loop, in every metric")
    func oracle() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        let dimensions = 17
        let vectors = (0..<120).map { _ in (0..<dimensions).map { _ in Float(Int.random(in: -40...40, using: &random)) / 8 } }
        let target = (0..<dimensions).map { _ in Float(Int.random(in: -40...40, using: &random)) / 8 }
        let words = try VectorDatabase.withPoints(0, nil)
        try words.database.file.transaction { _ in
            for (number, vector) in vectors.enumerated() {
                try words.database.save("d\(number)", #"{"vector":\#(vector.map(Double.init))}"#, in: "words")
            }
        }
        func distance(_ vector: [Float], _ metric: VectorMetric) -> Double {
            let pairs = zip(vector, target).map { (Double($0), Double($1)) }
            let dot = pairs.reduce(0) { $0 + $1.0 * $1.1 }
            let squared = pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
            switch metric {
            case .euclideanSquared: return squared
            case .euclidean: return squared.squareRoot()
            case .dot: return -dot
            case .cosine:
                let norms = pairs.reduce(into: (0.0, 0.0)) { ($0.0, $0.1) = ($0.0 + $1.0 * $1.0, $0.1 + $1.1 * $1.1) }
                return 1 - dot / (norms.0 * norms.1).squareRoot()
            }
        }
        for metric in VectorMetric.allCases {
            for centroids in [1, 100] {
                try words.createIndex(
                    options: VectorIndexOptions(dimensions: dimensions, centroids: centroids, metric: metric, encoding: .none)
                )
                #expect(try words.state().isTrained == (centroids == 1))
                let wanted = vectors.map { distance($0, metric) }
                let rows = try words.rows(
                    "SELECT meta().id, APPROX_VECTOR_DISTANCE(vector, $t) AS d FROM words ORDER BY d LIMIT 1000",
                    target: "\(target.map(Double.init))"
                )
                #expect(rows.count == vectors.count)
                for row in rows {
                    let parts = row.split(separator: " ")
                    let number = Int(parts[0].dropFirst(2).dropLast()) ?? 0
                    let found = Double(parts[1]) ?? -1
                    // These numbers are multiples of 1/64, so that sums of products are exact.
                    let tolerance = metric == .cosine || metric == .euclidean ? 1e-5 : 0
                    #expect(abs(found - wanted[number]) <= tolerance * max(1, abs(wanted[number])), "seed \(seed), \(metric), \(row)")
                }
            }
        }
    }

    @Test("products order vectors of very different lengths, also those that are longer than any in training")
    func norms() throws {
        let words = try VectorDatabase()
        for number in 0..<60 { try words.save("d\(number)", number + 1, 0) }
        try words.createIndex(options: VectorIndexOptions(dimensions: 2, centroids: 2, metric: .dot, encoding: .none))
        try words.save("zero", 0, 0)
        try words.save("long", 1_000_000, 0)
        try words.save("opposite", -1_000_000, 0)
        let found = try words.nearest(100, target: "[1,0]")
        #expect(found.count == 63 && found.first == "long" && found.last == "opposite")
        #expect(found.dropLast().last == "zero")
        for metric in [VectorMetric.cosine, .euclidean, .euclideanSquared] {
            try words.createIndex(options: VectorIndexOptions(dimensions: 2, centroids: 2, metric: metric))
            #expect(try words.nearest(100, target: "[0,0]").count == 63)
        }
    }

    @Test("conditions that are true for none, one and all documents give these, in either order of the tables")
    func conditions() throws {
        let words = try VectorDatabase.withPoints(60)
        let distance = "APPROX_VECTOR_DISTANCE(vector, $t)"
        let cases: [(String, [String])] = [
            ("n < 0", []), ("n = 7", ["7"]), ("n >= 0", (0..<60).map(String.init)), ("n BETWEEN 3 AND 5", ["3", "4", "5"]),
        ]
        for isIndexed in [false, true] {
            if isIndexed { try words.database.indexes.create(IndexDefinition(name: "numbers", text: "n"), on: words.words) }
            for (condition, wanted) in cases {
                #expect(try words.rows("SELECT n FROM words WHERE \(condition) ORDER BY \(distance)") == wanted)
                #expect(try words.rows("SELECT n FROM words WHERE \(condition) AND \(distance) >= 0 ORDER BY n") == wanted)
            }
        }
        #expect(
            try words.database.plan("SELECT n FROM words WHERE n = 7 ORDER BY APPROX_VECTOR_DISTANCE(vector, [0,0])").contains("numbers")
        )
    }

    @Test("LIMIT and OFFSET together must not be larger than 10000")
    func limits() throws {
        let words = try VectorDatabase.withPoints(30)
        let query = "SELECT n FROM words ORDER BY APPROX_VECTOR_DISTANCE(vector, [0, 0]) LIMIT $limit OFFSET $offset"
        func count(_ limit: Int, _ offset: Int) throws -> Int {
            try words.database.rows(query, QueryParameters(json: #"{"limit":\#(limit),"offset":\#(offset)}"#)).count
        }
        #expect(try count(9990, 10) == 20)
        #expect(try count(1, 29) == 1)
        #expect(try count(1, 30) == 0)
        #expect(try count(10, 9990) == 0)
        #expect(throws: QueryError.self) { try count(9991, 10) }
        #expect(throws: QueryError.self) { try count(Int.max, Int.max) }
    }
}
