import QueryEngine
import TestSupport
import Testing

@Suite("Hostile query text")
struct HostileTextTests {
    private static let seeds = [
        "SELECT DISTINCT a.b[0] AS x, count(*), {'k': [1, -2.5e3, 'it''s']}.k[1] FROM s.c AS t WHERE NOT a = $p AND b",
        "SELECT ANY v IN a SATISFIES v.x LIKE 'y%' END, CASE x WHEN 1 THEN 2 ELSE 3 END FROM _ GROUP BY c HAVING sum(d)",
        "SELECT meta(x).id FROM _ x LEFT JOIN y ON x.a IN (1,2) UNNEST x.z AS u WHERE match(x.i, \"q\") ORDER BY rank(i)",
        "SELECT `we.ird` FROM _ WHERE (a BETWEEN 1 AND 2 OR b IS NOT VALUED) COLLATE (UNICODE:se NOCASE) LIMIT 1 OFFSET 2;",
    ]

    private static let words = [
        "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "AND", "OR", "NOT", "IS", "NULL", "MISSING",
        "VALUED",
        "IN", "LIKE", "BETWEEN", "ANY", "EVERY", "SOME", "SATISFIES", "END", "CASE", "WHEN", "THEN", "ELSE", "EXISTS",
        "COLLATE", "UNICODE", "NOCASE", "JOIN", "ON", "UNNEST", "AS", "_", "a", "b.c", "x[0]", "$p", "1", "2.5", "'s'",
        "count(", "meta(", "match(", "lower(", "(", ")", "[", "]", "{", "}", ",", ":", ".", "*", "+", "-", "/", "%",
        "||", "=", "<=", "<>", "<<", "`q`", "\"", "'", "`", "$", ";", "é", "😀", "\u{0}", "\u{301}",
    ]

    /// Every text either parses, and then prints as JSON that reads as the same tree, or throws a query error whose
    /// offset lies in the text.
    private func check(_ text: String, seed: UInt64) {
        do throws(QueryError) {
            let select = try SQLPlusPlus.parse(text)
            let reread = try QueryJSON.parse(QueryJSON.text(of: select))
            #expect(QueryJSON.text(of: reread) == QueryJSON.text(of: select), "seed \(seed): \(text)")
            _ = try? QueryCompiler.compile(select, resolver: FakeDatabase())
        } catch {
            #expect((0...text.utf8.count).contains(error.offset ?? 0), "seed \(seed): \(text)")
            #expect(error.kind == .invalidQuery)
        }
    }

    @Test("ten thousand mutated queries do no harm")
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
            let count = Int.random(in: 1...24, using: &generator)
            let words = (0..<count).compactMap { _ in Self.words.randomElement(using: &generator) }
            check("SELECT " + words.joined(separator: Bool.random(using: &generator) ? " " : ""), seed: seed)
        }
    }

    @Test("every beginning of a query does no harm")
    func prefixes() {
        for text in Self.seeds {
            for length in 0...text.count { check(String(text.prefix(length)), seed: 0) }
        }
    }
}
