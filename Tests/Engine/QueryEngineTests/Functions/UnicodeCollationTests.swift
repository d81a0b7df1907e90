import QueryOracle
import TestSupport
import Testing

@testable import QueryEngine

@Suite("The order of Unicode collations")
struct UnicodeCollationTests {
    // `script/fuzz` compares many more.
    @Test("under all collations of all locales, random texts have the total order of ICU's sort keys")
    func order() {
        let outcome = RandomCollations.run(count: 30_000, seed: TestSeed.forThisTest())
        for failure in outcome.failures { Issue.record(Comment(rawValue: failure)) }
        #expect(outcome.compared >= 20_000)
        #expect(outcome.locales > 10)
    }

    @Test("texts of any length are compared completely")
    func longTexts() throws {
        let compare = try #require(UnicodeCollation(name: "LCUnicode____")?.makeComparison())
        for end in ["b", "b\u{301}", "\u{1}b"] {
            for count in [7, 8, 300, 100_000] {
                let start = String(repeating: "ä\u{2028}x", count: count)
                let (low, high) = (Array((start + "a").utf8), Array((start + end).utf8))
                low.withUnsafeBytes { low in
                    high.withUnsafeBytes { high in
                        #expect(compare(low, high) < 0 && compare(high, low) > 0 && compare(low, low) == 0)
                    }
                }
            }
        }
    }

    @Test("an identifier that names no locale has the root order", arguments: ["a/b/c", "xx", String(repeating: "x", count: 3000)])
    func unknownLocale(locale: String) throws {
        let compare = try #require(UnicodeCollation(name: "LCUnicode____\(locale)")?.makeComparison())
        Array("Cheb".utf8).withUnsafeBytes { cheb in
            Array("Hranice".utf8).withUnsafeBytes { #expect(compare(cheb, $0) < 0) }
        }
    }
}

@Suite("Plain texts")
struct PlainTextTests {
    private func isPlain(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { PlainText.isOne($0) } }

    @Test(
        "letters, ideographs, syllables, digits, punctuation and white space are plain at every position",
        arguments: ["a", "~", " ", "\t", "\r\n", "é", "Ж", "ω", "א", "日", "が", "한", "–", "€", "Ａ"]
    )
    func plain(character: String) {
        for count in 0...9 {
            let letters = String(repeating: "x", count: count)
            #expect(isPlain(Array((letters + character).utf8)) && isPlain(Array((character + letters).utf8)))
            #expect(isPlain(Array((letters + character + letters).utf8)))
        }
        #expect(isPlain([]))
    }

    @Test(
        "characters that are ignored or depend on others, and invalid bytes, are not plain at any position",
        arguments: [
            [0x00], [0x08], [0x0E], [0x1F], [0x7F], Array("\u{85}".utf8), Array("\u{AD}".utf8), Array("\u{301}".utf8), Array("ー".utf8),
            Array("ᅡ".utf8), Array("เ".utf8), Array("\u{200D}".utf8), Array("😀".utf8), Array("\u{FFFD}".utf8), [0x80], [0xC1, 0xA1],
            [0xC3], [0xE0, 0x81, 0xA1], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xFF], [0xC3, 0x41],
        ] as [[UInt8]]
    )
    func other(character: [UInt8]) {
        for count in 0...9 {
            let letters = [UInt8](repeating: 0x78, count: count)
            #expect(!isPlain(letters + character) && !isPlain(character + letters) && !isPlain(letters + character + letters))
        }
    }
}
