import SQLiteEngine
import TestSupport
import Testing

@testable import QueryEngine

@Suite("LIKE pattern matching")
struct LikePatternTests {
    private func units(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    private func matches(_ text: String, _ pattern: String) -> Bool {
        var effort = MatchEffort()
        return LikePattern(units(pattern)).matches(units(text), effort: &effort)
    }

    @Test("matching a LIKE pattern takes a number of steps linear in text and pattern length")
    func linear() {
        func steps(_ count: Int) -> Int {
            let text = units(String(repeating: "a", count: 4 * count))
            var total = 0
            for pattern in [
                "%" + String(repeating: "a", count: count) + "b%", String(repeating: "%a", count: count) + "b",
                "%" + String(repeating: "ab", count: count) + "%c%", String(repeating: "a", count: count) + "%b",
            ] {
                var effort = MatchEffort()
                #expect(!LikePattern(units(pattern)).matches(text, effort: &effort))
                total += effort.steps
            }
            return total
        }
        let (few, many) = (steps(1000), steps(8000))
        #expect(many <= 8 * few + 1000)
        #expect(few < 1000 * 40)
    }

    @Test("a LIKE match ends soon after the connection is interrupted")
    func interrupted() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        connection.handle.interrupt()
        let text = units(String(repeating: "a", count: 100_000))
        for pattern in [
            "%" + String(repeating: "a_", count: 1000) + "b%", "%" + String(repeating: "a", count: 1000) + "b%",
        ] {
            var effort = MatchEffort(interruptedWith: connection)
            #expect(!LikePattern(units(pattern)).matches(text, effort: &effort))
            #expect(effort.steps <= 10_000)
        }
    }

    @Test("random LIKE patterns match like a naive implementation")
    func random() {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        func text(_ letters: String, _ count: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: count, using: &generator)).map { _ in
                    letters.randomElement(using: &generator) ?? "a"
                }
            )
        }
        for _ in 0..<5000 {
            let (pattern, subject) = (text("ab%_\\", 0...7), text("ab%", 0...9))
            #expect(
                matches(subject, pattern) == Self.naive(units(subject)[...], units(pattern)[...]),
                "'\(subject)' LIKE '\(pattern)', seed \(seed)"
            )
        }
    }

    private static func naive(_ text: ArraySlice<UInt32>, _ pattern: ArraySlice<UInt32>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case 0x25:
            // The rest must be a valid pattern, even if the result is already known.
            return (0...text.count).contains { naive(text.dropFirst($0), rest) }
        case 0x5F: return !text.isEmpty && naive(text.dropFirst(), rest)
        case 0x5C:
            guard let escaped = rest.first else { return false }
            return text.first == escaped && naive(text.dropFirst(), rest.dropFirst())
        default: return text.first == first && naive(text.dropFirst(), rest)
        }
    }
}

@Suite("Sequence search")
struct SequenceSearchTests {
    @Test("a search finds the first position of a sequence")
    func places() {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                Int.random(in: 0...1, using: &generator)
            }
            let sought = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                Int.random(in: 0...1, using: &generator)
            }
            var effort = MatchEffort()
            let expected = (0...text.count).first { text[$0...].starts(with: sought) }
            #expect(SequenceSearch(sought).firstIndex(in: text, effort: &effort) == expected, "\(sought) in \(text), seed \(seed)")
        }
    }

    @Test("a sequence search takes at most as many steps as the text has elements")
    func steps() {
        let text = Array(repeating: 1, count: 100_000)
        var effort = MatchEffort()
        #expect(SequenceSearch(Array(repeating: 1, count: 50_000) + [2]).firstIndex(in: text, effort: &effort) == nil)
        #expect(effort.steps <= text.count)
    }
}
