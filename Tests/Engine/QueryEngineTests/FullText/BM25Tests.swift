import DocumentStore
import Fleece
import Foundation
import QueryEngine
import QueryLanguage
import SQLiteEngine
import TestSupport
import Testing

@Suite("Full-text ranks by BM25")
struct BM25Tests {
    /// Words of letters only, each of which is one term. A vowel sign, as in "मित्र", would separate two (Query 6.2).
    private static let vocabulary = ["alpha", "almond", "beta", "bell", "gamma", "мир", "שלום", "日本", "नमक"]

    /// The formula of the specification, computed from the words of all documents.
    private func bm25(
        _ words: [String],
        _ document: [[String]],
        _ all: [[[String]]],
        k: Double,
        b: Double,
        weights: [Double]
    ) -> Double {
        var sum = 0.0
        for column in document.indices {
            let lengths = all.map { $0[column].count }
            let average = max(1, (Double(lengths.reduce(0, +)) / Double(all.count)).rounded())
            for word in words {
                let frequency = Double(document[column].count { $0 == word })
                let containing = Double(all.count { $0[column].contains(word) })
                let rarity = log(1 + (Double(all.count) - containing + 0.5) / (containing + 0.5))
                let norm = k * (1 - b + b * Double(document[column].count) / average)
                if frequency > 0 { sum += weights[column] * rarity * frequency * (k + 1) / (frequency + norm) }
            }
        }
        return sum
    }

    @Test("bm25() follows its formula for random documents, words and constants")
    func formula() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        let database = try QueryDatabase()
        try database.createFullTextIndex("first, second")
        var documents: [[[String]]] = []
        try database.file.transaction { _ in
            for number in 0..<80 {
                let document = (0..<2).map { column in
                    (0..<Int.random(in: 0..<(column * 20 + 5), using: &random)).map { _ in
                        Self.vocabulary.randomElement(using: &random) ?? ""
                    }
                }
                let texts = document.map { $0.joined(separator: " ") }
                try database.save("\(number)", #"{"number":\#(number),"first":"\#(texts[0])","second":"\#(texts[1])"}"#)
                documents.append(document)
            }
        }
        let constants: [(arguments: String, k: Double, b: Double, weights: [Double])] = [
            ("", 1.2, 0.75, [1, 1]), (", 2, 0.5", 2, 0.5, [1, 1]), (", 0, 1, 3", 0, 1, [3, 1]), (", NULL, 0, 0.5, 4", 1.2, 0, [0.5, 4]),
        ]
        for (arguments, k, b, weights) in constants {
            let query = try database.prepare(
                "SELECT number, bm25(idx\(arguments)) FROM _ WHERE match(idx, $pattern) ORDER BY bm25(idx\(arguments)) DESC, number"
            )
            for _ in 0..<10 {
                let words = (0..<Int.random(in: 1..<4, using: &random)).map { _ in Self.vocabulary.randomElement(using: &random) ?? "" }
                let rows = try query.run(on: database.file, parameters: .pattern(words.joined(separator: " OR ")))
                #expect(rows.count > 0)
                let ranks = (0..<rows.count).map { row -> Double in
                    let number = Int(rows.value(row: row, column: 0)?.int64 ?? -1)
                    let rank = rows.value(row: row, column: 1)?.double ?? -1
                    let wanted = bm25(words, documents[number], documents, k: k, b: b, weights: weights)
                    #expect(abs(rank - wanted) < 1e-9, "\(words) \(arguments), seed \(seed)")
                    return rank
                }
                #expect(ranks == ranks.sorted(by: >), "\(words), seed \(seed)")
            }
        }
    }

    @Test("with a limit, the rows are the first ones of the same search without a limit")
    func limited() throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("s")
        for number in 0..<20 {
            try database.save("\(number)", #"{"n":\#(number),"s":"word\#(String(repeating: " other", count: number))"}"#)
        }
        let search = "SELECT n FROM _ WHERE match(idx, 'word') ORDER BY bm25(idx) DESC"
        #expect(try database.prepare(search + " LIMIT 5").compiled.sql.contains(" FROM (SELECT docid FROM "))
        #expect(try database.rows(search) == (0..<20).map { "\($0)" })
        #expect(try database.rows(search + " LIMIT 5") == (0..<5).map { "\($0)" })
    }

    @Test("invalid constants of bm25() throw an error", arguments: ["-1", "1, 2", "1, 0, 'x'", "1, 0, -1", "1e9"])
    func invalid(arguments: String) throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("s")
        try database.save("a", #"{"s":"word"}"#)
        #expect(throws: QueryError.self) { try database.rows("SELECT bm25(idx, \(arguments)) FROM _ WHERE match(idx, 'word')") }
    }

    @Test("bm25() of invalid match information is NULL")
    func hostile() throws {
        let database = try QueryDatabase()
        for bytes in ["NULL", "x''", "x'010000000100000001000000'", "x'FFFFFFFFFFFFFFFFFFFFFFFF0000'", "'text of no meaning'", "7"] {
            let isNull = try database.file.read { try $0.connection.scalar("SELECT fl_bm25(\(bytes)) IS NULL") }
            #expect(isNull == 1, "\(bytes)")
        }
    }
}
