import DocumentStore
import Fleece
import QueryEngine
import SQLiteEngine
import TestSupport
import Testing

@Suite("Full-text ranks")
struct RankTests {
    /// A pattern, and the number of its occurrences in a text of words.
    private indirect enum Pattern {
        case word(String, isPrefix: Bool, column: Int?)
        case phrase([String])
        case and(Pattern, Pattern)
        case or(Pattern, Pattern)
        case not(Pattern, Pattern)

        static func random(_ generator: inout SeededGenerator, depth: Int = 0) -> Pattern {
            func word() -> String { RankTests.vocabulary.randomElement(using: &generator) ?? "" }
            let choice = Int.random(in: 0..<(depth < 3 ? 8 : 5), using: &generator)
            switch choice {
            case 0, 1: return .word(word(), isPrefix: false, column: nil)
            case 2: return .word(word(), isPrefix: false, column: Int.random(in: 0..<2, using: &generator))
            case 3: return .word(String(word().prefix(2)), isPrefix: true, column: nil)
            case 4: return .phrase([word(), word()])
            default:
                let (left, right) = (random(&generator, depth: depth + 1), random(&generator, depth: depth + 1))
                return choice == 5 ? .and(left, right) : choice == 6 ? .or(left, right) : .not(left, right)
            }
        }

        var text: String {
            switch self {
            case .word(let word, let isPrefix, let column):
                (column.map { ["first:", "second:"][$0] } ?? "") + word + (isPrefix ? "*" : "")
            case .phrase(let words): "\"\(words.joined(separator: " "))\""
            case .and(let left, let right): "(\(left.text) AND \(right.text))"
            case .or(let left, let right): "(\(left.text) OR \(right.text))"
            case .not(let left, let right): "(\(left.text) NOT \(right.text))"
            }
        }

        func matches(_ document: [[String]]) -> Bool {
            switch self {
            case .and(let left, let right): left.matches(document) && right.matches(document)
            case .or(let left, let right): left.matches(document) || right.matches(document)
            case .not(let left, let right): left.matches(document) && !right.matches(document)
            default: (0..<2).contains { count(in: document, $0) > 0 }
            }
        }

        /// The words and phrases that count.
        var leaves: [Pattern] {
            switch self {
            case .and(let left, let right), .or(let left, let right): left.leaves + right.leaves
            case .not(let left, _): left.leaves
            default: [self]
            }
        }

        func count(in document: [[String]], _ column: Int) -> Int {
            let words = document[column]
            switch self {
            case .word(let word, let isPrefix, let only):
                guard only == nil || only == column else { return 0 }
                return words.count { isPrefix ? $0.hasPrefix(word) : $0 == word }
            case .phrase(let phrase):
                return words.indices.count { Array(words[$0...].prefix(phrase.count)) == phrase }
            default: return 0
            }
        }

        func rank(of document: [[String]], among all: [[[String]]]) -> Double {
            var rank = 0.0
            for leaf in leaves {
                for column in 0..<2 {
                    let hits = leaf.count(in: document, column)
                    let total = all.reduce(0) { $0 + leaf.count(in: $1, column) }
                    if hits > 0 { rank += Double(hits) / Double(total) }
                }
            }
            return rank
        }
    }

    private static let vocabulary = ["alpha", "almond", "beta", "bell", "gamma", "gate", "delta"]

    @Test("rank() follows its formula for random documents and patterns")
    func formula() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let database = try QueryDatabase()
        try database.createFullTextIndex("first, second")
        var documents: [[[String]]] = []
        try database.file.transaction { _ in
            for number in 0..<60 {
                let document = (0..<2).map { _ in
                    (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
                        Self.vocabulary.randomElement(using: &generator) ?? ""
                    }
                }
                let texts = document.map { $0.joined(separator: " ") }
                try database.save("\(number)", #"{"number":\#(number),"first":"\#(texts[0])","second":"\#(texts[1])"}"#)
                documents.append(document)
            }
        }
        let query = try database.prepare("SELECT number, rank(idx) FROM _ WHERE match(idx, $pattern) ORDER BY rank(idx) DESC, number")
        for _ in 0..<150 {
            let pattern = Pattern.random(&generator)
            let expected = documents.indices.filter { pattern.matches(documents[$0]) }
                .map { (number: $0, rank: pattern.rank(of: documents[$0], among: documents)) }
            let rows = try query.run(on: database.file, parameters: .pattern(pattern.text))
            let found = (0..<rows.count).map {
                (number: Int(rows.value(row: $0, column: 0)?.int64 ?? -1), rank: rows.value(row: $0, column: 1)?.double ?? -1)
            }
            let comment = Comment(rawValue: "\(pattern.text), seed \(seed)")
            #expect(found.map(\.number).sorted() == expected.map(\.number), comment)
            for row in found {
                let wanted = expected.first { $0.number == row.number }?.rank ?? -2
                #expect(abs(row.rank - wanted) < 1e-9, comment)
            }
            #expect(zip(found, found.dropFirst()).allSatisfy { $0.rank >= $1.rank }, comment)
        }
    }

    @Test("rank() does not depend on other conditions")
    func otherConditions() throws {
        let database = try QueryDatabase()
        try database.createFullTextIndex("s")
        for number in 0..<4 { try database.save("\(number)", #"{"s":"word word","n":\#(number)}"#) }
        #expect(try database.rows("SELECT rank(idx) FROM _ WHERE match(idx, 'word') AND n = 1") == ["0.25"])
        #expect(try database.rows("SELECT rank(idx) FROM _ WHERE match(idx, 'word word') AND n = 1") == ["0.5"])
    }

    @Test("rank() of invalid match information is NULL")
    func hostile() throws {
        let database = try QueryDatabase()
        for bytes in ["NULL", "x''", "x'0100000001000000'", "x'FFFFFFFFFFFFFFFF0000'", "'text of no meaning'", "7"] {
            let isNull = try database.file.read { try $0.connection.scalar("SELECT rank(\(bytes)) IS NULL") }
            #expect(isNull == 1, "\(bytes)")
        }
    }
}
