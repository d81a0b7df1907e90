import QueryEngine
import TestSupport
import Testing

@Suite("Hostile predicate strings")
struct HostilePredicateTests {
    private static let seeds = [
        "nickname ==[cd] 'Bo\\'bo' AND (ALL children.age < 18 OR NOT 'x' IN tags) && coords[LAST].x BETWEEN {1, $hi}",
        "TERNARY(2 == 3, a ** 2, -b) != nil || FUNCTION(email, 'REGEXP_LIKE', '.+@.+') == TRUE AND a.#in.@count => 0x1F",
        "name LIKE[c] 'a*?\\\\*' OR s ENDSWITH t AND sum(prices) * 2.5e3 / 4 <> min(a, b) AND text MATCHES $q",
        "NONE a.b IN {1, 'two', {3}} AND CAST(12.5, \"NSDate\") =< modulus:by:(größe[0], 7) + '%' + uppercase(SELF.x)",
    ]

    private static let words = [
        "AND", "OR", "NOT", "&&", "||", "!", "=", "==", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>", "IN", "CONTAINS",
        "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "BETWEEN", "ANY", "SOME", "ALL", "NONE", "TRUE", "NO", "NULL",
        "SELF", "FIRST", "LAST", "SIZE", "FUNCTION", "TERNARY", "SUBQUERY", "CAST", "TRUEPREDICATE", "a", "b.c", "$p",
        "1", "2.5", "'s'", "'REGEXP_LIKE'", "{", "}", "(", ")", "[", "]", "[c]", "[cd]", ",", ".", "+", "-", "*", "**",
        "/", "@", "@count", "#", "\\", "%", "'", "\"", "sum", "rank", "min(", "raise:toPower:", ":", "é", "😀", "\u{0}",
    ]

    /// Every text either parses, and then prints as JSON that reads as the same tree, or throws a query error whose offset lies
    /// in the text.
    private func check(_ text: String, seed: UInt64) {
        func check(_ parse: (String) throws(QueryError) -> QueryExpression) {
            do throws(QueryError) {
                let tree = try parse(text)
                let reread = try QueryJSON.parseExpression(QueryJSON.text(of: tree))
                #expect(reread == tree, "seed \(seed): \(text)")
                _ = try? QueryCompiler.compile(Select(condition: tree), resolver: FakeDatabase())
            } catch {
                #expect((0...text.utf8.count).contains(error.offset ?? 0), "seed \(seed): \(text)")
                #expect(error.kind == .invalidQuery)
            }
        }
        check(PredicateString.parse)
        check { text throws(QueryError) in try PredicateString.parseOrdering(text).expression }
    }

    @Test("ten thousand mutated strings do no harm")
    func mutations() {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10_000 {
            var bytes = Array(Self.seeds.randomElement(using: &generator)?.utf8 ?? "".utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let position = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[position] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: position)
                case 2: bytes.insert(contentsOf: bytes[position...].prefix(8), at: position)
                default: bytes.removeSubrange(position..<min(bytes.count, position + 5))
                }
            }
            check(String(decoding: bytes, as: UTF8.self), seed: seed)
        }
    }

    @Test("ten thousand random strings of words do no harm")
    func randomWords() {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10_000 {
            let count = Int.random(in: 1...16, using: &generator)
            let words = (0..<count).compactMap { _ in Self.words.randomElement(using: &generator) }
            check(words.joined(separator: Bool.random(using: &generator) ? " " : ""), seed: seed)
        }
    }

    @Test("every beginning of a string does no harm")
    func prefixes() throws {
        for text in Self.seeds {
            _ = try PredicateString.parse(text)
            for length in 0...text.count { check(String(text.prefix(length)), seed: 0) }
        }
    }
}
