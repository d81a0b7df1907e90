import TestSupport
import Testing

@testable import QueryEngine

@Suite("Excerpts of texts around matches")
struct MatchExcerptTests {
    /// The hits of words in a text; each word is a term of its own.
    private func hits(_ words: [String], in text: String) -> [RowMatches.Hit] {
        words.enumerated().flatMap { term, word in
            text.ranges(of: word).map { range in
                let start = text.utf8.distance(from: text.startIndex, to: range.lowerBound)
                return RowMatches.Hit(column: 0, term: term, bytes: start..<(start + word.utf8.count))
            }
        }
    }

    /// The excerpt with brackets around matches and dots where it is cut.
    private func marked(_ text: String, _ words: String..., length: Int) -> String {
        let excerpt = MatchExcerpt(of: text, hits(words, in: text), length: length)
        var marked = excerpt.text
        for range in excerpt.ranges.reversed() { marked.replaceSubrange(range, with: "[\(excerpt.text[range])]") }
        return (excerpt.isCutAtStart ? "…" : "") + marked + (excerpt.isCutAtEnd ? "…" : "")
    }

    private let text =
        "Squeeze one lemon. Stir the cream slowly until it is warm, add the pasta and the zest of a lemon, and serve at once."

    @Test("a short text is its own excerpt")
    func whole() {
        #expect(marked("one lemon", "lemon", length: 9) == "one [lemon]")
        #expect(marked("one lemon", length: 160) == "one lemon")
        #expect(marked("", "lemon", length: 10) == "")
    }

    @Test("an excerpt begins and ends at words, with more context after the matches than before them")
    func context() {
        #expect(marked(text, "cream", length: 30) == "…the [cream] slowly until it…")
        #expect(marked(text, "Squeeze", length: 20) == "[Squeeze] one lemon.…")
        #expect(marked(text, "once", length: 20) == "…and serve at [once].")
        #expect(marked(text, length: 12) == "Squeeze one…")
    }

    @Test("an excerpt contains the place with the most different words")
    func best() {
        #expect(marked(text, "lemon", "pasta", length: 40) == "…[pasta] and the zest of a [lemon], and…")
        #expect(marked(text, "lemon", length: 20) == "…one [lemon]. Stir the…")
        #expect(marked("a b a a b", "a", "b", length: 3) == "[a] [b]…")
    }

    @Test("a match that is longer than an excerpt is shortened")
    func long() {
        #expect(marked("say Donaudampfschifffahrt!", "Donaudampfschifffahrt", length: 5) == "…[Donau]…")
        #expect(marked("日本語の長い文です", "日本語の長い文です", length: 3) == "[日本語]…")
    }

    @Test("an excerpt of a text without spaces is cut between characters")
    func characters() {
        let family = "👨‍👩‍👧‍👦"
        let flags = String(repeating: family, count: 20)
        let excerpt = MatchExcerpt(of: flags + "x" + flags, hits(["x"], in: flags + "x" + flags), length: 40)
        #expect(excerpt.text.allSatisfy { $0 == "x" || $0 == Character(family) } && excerpt.text.contains("x"))
        #expect(excerpt.isCutAtStart && excerpt.isCutAtEnd)
        #expect(marked("我住在東京都の近くです", "東京", length: 6) == "…在[東京]都の近…")
    }

    @Test("hits that do not fit the text are shortened to whole code points or ignored")
    func wrongHits() {
        func matches(_ ranges: Range<Int>...) -> [Range<Int>] {
            MatchExcerpt(of: "aé日b", ranges.map { RowMatches.Hit(column: 0, term: 0, bytes: $0) }, length: 10).matches
        }
        #expect(matches(2..<4, 90..<99, 6..<6) == [1..<6])
        #expect(matches(0..<Int.max) == [0..<7])
        #expect(matches(0..<3, 1..<6, 6..<7) == [0..<3, 6..<7])
    }

    @Test("random excerpts of random texts are parts of them with the same matches, and not longer than allowed")
    func random() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        let pieces = ["a", "bc", " ", "  ", "é", "e\u{301}", "日", "👩‍🚀", "🇫🇷", "שלום", "ก็", "\n", "nächste", "́"]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0..<40, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let bytes = Array(text.utf8)
            let hits = (0..<Int.random(in: 0..<5, using: &random)).map { term in
                let start = Int.random(in: 0...bytes.count, using: &random)
                return RowMatches.Hit(column: 0, term: term, bytes: start..<(start + Int.random(in: 0..<9, using: &random)))
            }
            let length = Int.random(in: 1..<30, using: &random)
            let excerpt = MatchExcerpt(of: text, hits, length: length)
            #expect(excerpt.text.unicodeScalars.count <= length)
            let found = bytes.indices.first { bytes[$0...].starts(with: excerpt.text.utf8) } ?? 0
            #expect(excerpt.text.isEmpty || bytes[found...].starts(with: excerpt.text.utf8), "\(text)")
            #expect(excerpt.isCutAtStart || bytes.starts(with: excerpt.text.utf8))
            #expect(excerpt.isCutAtStart || excerpt.isCutAtEnd || excerpt.text.utf8.elementsEqual(bytes))
            var end = 0
            for (match, range) in zip(excerpt.matches, excerpt.ranges) {
                #expect(match.lowerBound >= end && !match.isEmpty)
                #expect(String(excerpt.text[range]).utf8.elementsEqual(Array(excerpt.text.utf8)[match]))
                end = match.upperBound
            }
            let isHit = hits.contains { !$0.bytes.clamped(to: 0..<bytes.count).isEmpty }
            #expect(excerpt.matches.isEmpty == !isHit, "\(text) \(hits)")
        }
    }
}
