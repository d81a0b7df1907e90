import Foundation
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Automaton of words with typing errors")
struct LevenshteinAutomatonTests {
    private func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for other in right.indices {
                let above = row[other + 1]
                row[other + 1] = min(above + 1, row[other] + 1, diagonal + (right[other] == letter ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }

    /// Returns different words in the order of their bytes, in which a vocabulary has them. The letters of the tests are in NFC, so the order of
    /// strings is this one, and comparing strings is much faster than comparing arrays.
    private func sortedByBytes(_ words: [String]) -> [String] { Set(words).sorted() }

    /// Reads sorted terms as a vocabulary does, and returns those that match, and how many were read.
    private func read(_ terms: [[UInt8]], _ words: [String], limit: Int) -> (found: [[UInt8]: Int], reads: Int) {
        var automaton = LevenshteinAutomaton(words.map { Array($0.unicodeScalars) }, limit: limit)
        var found: [[UInt8]: Int] = [:]
        var (index, reads) = (0, 0)
        while index < terms.count {
            reads += 1
            switch terms[index].withUnsafeBytes({ automaton.read($0) }) {
            case .match(let distance): found[terms[index]] = distance
            case .noMatch: break
            case .dead(let next):
                guard let next else { return (found, reads) }
                #expect(terms[index].lexicographicallyPrecedes(next))
                while index + 1 < terms.count, terms[index + 1].lexicographicallyPrecedes(next) { index += 1 }
            }
            index += 1
        }
        return (found, reads)
    }

    @Test("random terms are found exactly if a naive distance allows it, although most are not read")
    func oracle() {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        func word(_ letters: String, _ lengths: Range<Int>) -> String {
            String((0..<Int.random(in: lengths, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
        }
        for letters in ["ab", "abcdefghijklmnopqrstuvwxyz", "aéz日本\u{D7FF}\u{E000}🎈"] {
            let sorted = sortedByBytes((0..<3000).map { _ in word(letters, 1..<9) })
            let (terms, decoded) = (sorted.map { Array($0.utf8) }, sorted.map { Array($0.unicodeScalars) })
            for _ in 0..<20 {
                let words = (0..<Int.random(in: 1...2, using: &random)).map { _ in word(letters, 2..<8) }
                let limit = Int.random(in: 1...2, using: &random)
                let (found, _) = read(terms, words, limit: limit)
                let decodedWords = words.map { Array($0.unicodeScalars) }
                var wanted: [[UInt8]: Int] = [:]
                for (term, scalars) in zip(terms, decoded) {
                    let least = decodedWords.map { distance(scalars, $0) }.min() ?? .max
                    if least <= limit { wanted[term] = least }
                }
                #expect(found == wanted, "\(words) \(limit), seed \(seed)")
            }
        }
    }

    @Test("of many terms, few are read")
    func skipping() {
        var random = SeededGenerator(seed: 7)
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        let words = (0..<50_000).map { _ in
            String(decoding: (0..<8).map { _ in letters.randomElement(using: &random) ?? 0 }, as: UTF8.self)
        }
        let terms = sortedByBytes(words).map { Array($0.utf8) }
        #expect(read(terms, ["testword"], limit: 1).reads < 1_000)
        #expect(read(terms, ["testword"], limit: 2).reads < 15_000)
    }

    @Test("a term that is no UTF-8 is not found")
    func invalid() {
        #expect(read([[0x61], [0x61, 0xFF], [0x61, 0xFF, 0x62]], ["aab"], limit: 2).found == [[0x61]: 2])
    }
}
