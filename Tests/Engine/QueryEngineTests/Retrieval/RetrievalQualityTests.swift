import DocumentStore
import Fleece
import Foundation
import QueryLanguage
import TestSupport
import Testing
import VectorSearch

@testable import QueryEngine

/// Searches in glosses of WordNet, with vectors of a small model; `Tests/Data/Retrieval/make-wordnet.py` describes texts and queries.
@Suite("Quality of searches in real text")
struct RetrievalQualityTests {
    /// A query with the grades of the documents that are relevant to it.
    private struct Query {
        let text: String
        let vector: [Float]
        let grades: [Int: Int]

        /// The normalised discounted cumulative gain of the first ten results: 1 if no order would be better.
        func gain(of results: [Int]) -> Double {
            func sum(_ grades: some Sequence<Int>) -> Double {
                grades.prefix(10).enumerated().reduce(0) { $0 + (pow(2, Double($1.element)) - 1) / log2(Double($1.offset + 2)) }
            }
            return sum(results.map { grades[$0] ?? 0 }) / sum(grades.values.sorted(by: >))
        }
    }

    private struct Fixture {
        var documents: [(text: String, vector: [Float])] = []
        var queries: [Query] = []

        init() throws {
            let url = Fixtures.packageRoot.appendingPathComponent("Tests/Data/Retrieval/wordnet.bin")
            var bytes = ArraySlice([UInt8](try Data(contentsOf: url)))
            func take(_ count: Int) throws -> ArraySlice<UInt8> {
                defer { bytes = bytes.dropFirst(count) }
                try #require(count <= bytes.count)
                return bytes.prefix(count)
            }
            func number(_ size: Int) throws -> Int { try take(size).reversed().reduce(0) { $0 << 8 | Int($1) } }
            try #require(try take(4).elementsEqual("WNR1".utf8))
            let (documentCount, queryCount, dimensions) = (try number(4), try number(4), try number(4))
            let scale = Float(bitPattern: UInt32(try number(4)))
            func item() throws -> (text: String, vector: [Float]) {
                let text = String(decoding: try take(number(2)), as: UTF8.self)
                return (text, try take(dimensions).map { Float(Int8(bitPattern: $0)) * scale })
            }
            for _ in 0..<documentCount { documents.append(try item()) }
            for _ in 0..<queryCount {
                let (text, vector) = try item()
                var grades: [Int: Int] = [:]
                for _ in 0..<(try number(2)) {
                    let place = try number(2)
                    grades[place] = try number(1)
                }
                queries.append(Query(text: text, vector: vector, grades: grades))
            }
        }
    }

    private static func base64(_ vector: [Float]) -> String { vector.withUnsafeBytes { Data($0) }.base64EncodedString() }

    private func database(_ documents: [(text: String, vector: [Float])]) throws -> QueryDatabase {
        let database = try QueryDatabase()
        try database.file.transaction { _ in
            for (number, document) in documents.enumerated() {
                let text = String(decoding: try JSONEncoder().encode(document.text), as: UTF8.self)
                try database.save("\(number)", #"{"text":\#(text),"vector":"\#(Self.base64(document.vector))"}"#)
            }
        }
        try database.createFullTextIndex("text", named: "texts", FullTextIndexOptions(language: "en"))
        let options = VectorIndexOptions(dimensions: documents.first?.vector.count ?? 0, centroids: 8, metric: .cosine)
        try database.indexes.create(IndexDefinition(name: "vectors", kind: .vector(options), text: "vector"), on: try database.collection())
        return database
    }

    @Test("fused results are better than those of the words alone and those of the vectors alone")
    func fusion() throws {
        let fixture = try Fixture()
        let database = try database(fixture.documents)
        let words = #""text": $text, "in": "texts""#
        let vector = #""vector": $vector, "by": "vector""#
        let searches = try [words, vector, "\(words), \(vector)"].map {
            try database.prepare("SELECT id FROM search({\($0)}) ORDER BY score DESC")
        }
        var sums = [0.0, 0, 0]
        // As many as are needed to show the difference.
        let queries = fixture.queries.indices.filter { $0 % 4 == 0 }.map { fixture.queries[$0] }
        for query in queries {
            let pattern = query.text.split { !$0.isLetter }.map { $0.lowercased() }.joined(separator: " OR ")
            let (text, target) = (#""text":"\#(pattern)""#, #""vector":"\#(Self.base64(query.vector))""#)
            let parameters = try [text, target, "\(text),\(target)"].map { try QueryParameters(json: "{\($0)}") }
            for (index, search) in searches.enumerated() {
                let rows = try search.run(on: database.file, parameters: parameters[index])
                let ids = (0..<rows.count).compactMap { rows.value(row: $0, column: 0)?.string.flatMap { Int($0) } }
                sums[index] += query.gain(of: ids)
            }
        }
        let means = sums.map { $0 / Double(queries.count) }
        print("nDCG@10 of \(queries.count) queries: words \(means[0]), vectors \(means[1]), both \(means[2])")
        #expect(fixture.queries.count == 200 && fixture.documents.count == 2600)
        // For all queries they were 0.740, 0.753 and 0.795 here.
        #expect(means[0] > 0.72 && means[1] > 0.73)
        // With the same data, BM25 of Porter's stems, the exact cosine and their ranks, computed without this library, gave 0.740, 0.752 and 0.793.
        #expect(means[2] > max(means[0], means[1]) + 0.03)
    }
}
