import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Chunks of texts")
struct ChunkerTests {
    private func sentences(_ text: String) -> [String] { Sentences(text).map { String(text[$0]) } }

    private func chunks(_ text: String, _ maximum: Int, overlap: Int = 0) -> [String] {
        Chunker(maximumLength: maximum, overlap: overlap).chunks(of: text).map(\.text)
    }

    @Test(
        "sentences end as UAX #29 says",
        arguments: [
            ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
            ("It costs 3.50 in the U.S.A. today.", ["It costs 3.50 in the U.S.A. today."]),
            ("See example.com or v1.2, e.g. the list.", ["See example.com or v1.2, e.g. the list."]),
            ("\u{201C}Stop!\u{201D} she said. (Really?) Yes.", ["\u{201C}Stop!\u{201D} ", "she said. ", "(Really?) ", "Yes."]),
            ("Wait... what?! No", ["Wait... what?! ", "No"]),
            ("Title\r\nText. \nMore", ["Title\r\n", "Text. \n", "More"]),
            ("今日は晴れ。明日は雨。", ["今日は晴れ。", "明日は雨。"]),
            ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟ ", "نعم."]),
            ("यह एक वाक्य है। दूसरा।", ["यह एक वाक्य है। ", "दूसरा।"]),
            ("", []),
        ]
    )
    func sentenceEnds(text: String, expected: [String]) {
        #expect(sentences(text) == expected)
    }

    @Test("a chunk consists of as many whole sentences as fit")
    func wholeSentences() {
        #expect(chunks("Aaa. Bbb. Ccc. Ddd.", 10) == ["Aaa. Bbb.", "Ccc. Ddd."])
        #expect(chunks("Aaa. Bbb.", 100) == ["Aaa. Bbb."])
        #expect(chunks(" \n\t ", 10) == [])
        #expect(chunks("", 10) == [])
    }

    @Test("a chunk begins with the last sentences of the one before, as many as fit into the overlap")
    func overlap() {
        #expect(chunks("Aaa. Bbb. Ccc. Ddd. Eee.", 15, overlap: 5) == ["Aaa. Bbb. Ccc.", "Ccc. Ddd. Eee."])
        #expect(chunks("Aaa. Bbb. Ccc. Ddd. Eee.", 15, overlap: 4) == ["Aaa. Bbb. Ccc.", "Ddd. Eee."])
        // The shared sentence would leave no room for the next one.
        #expect(chunks("Aaa. Bbbbbbbbb. Ccc.", 11, overlap: 5) == ["Aaa.", "Bbbbbbbbb.", "Ccc."])
    }

    @Test("long sentences are divided between words, and long words between characters, never inside of a character")
    func longSentences() {
        #expect(chunks("one two three four five", 10) == ["one two", "three", "four five"])
        #expect(chunks("abcdefghij", 4) == ["abcd", "efgh", "ij"])
        let family = "👨‍👩‍👧‍👦"
        #expect(chunks(family + family + family, 1) == [family, family, family])
        #expect(chunks("e\u{301}e\u{301}e\u{301}", 2) == ["e\u{301}e\u{301}", "e\u{301}"])
    }

    @Test("lengths out of range count as the nearest length in range")
    func lengthsOutOfRange() {
        #expect(Chunker(maximumLength: -5, overlap: -1).maximumLength == 1)
        #expect(Chunker(maximumLength: -5, overlap: -1).overlap == 0)
        #expect(Chunker(maximumLength: 10, overlap: .max).overlap == 5)
        #expect(Chunker(maximumLength: .max, overlap: .max).chunks(of: "One. Two.").map(\.text) == ["One. Two."])
        #expect(Chunker(maximumLength: 3, overlap: 1) { _ in .min }.chunks(of: "One. Two.").map(\.text) == ["One. Two."])
        #expect(Chunker(maximumLength: 3, overlap: 1) { _ in .max }.chunks(of: "One").map(\.text) == ["O", "n", "e"])
    }

    @Test("the length can be counted in another unit, for example in words")
    func otherUnit() {
        let chunker = Chunker(maximumLength: 4, overlap: 2) { $0.split(separator: " ").count }
        #expect(chunker.chunks(of: "One two. Three four. Five six.").map(\.text) == ["One two. Three four.", "Three four. Five six."])
    }

    @Test("random texts: chunks are in order, no longer than the maximum, and contain every character that is no white space")
    func randomTexts() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        let alphabet: [Character] = ["a", "B", "7", " ", " ", ".", "!", "\n", "。", "é", "👨‍👩‍👧", "\"", "(", "漢", "ب", ",", "\u{2028}"]
        for _ in 0..<300 {
            let text = String((0..<Int.random(in: 0...200, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
            let chunker = Chunker(maximumLength: .random(in: 1...40, using: &random), overlap: .random(in: 0...40, using: &random))
            let chunks = chunker.chunks(of: text)
            #expect(Sentences(text).map { String(text[$0]) }.joined() == text)
            var covered = text.startIndex
            for (index, chunk) in chunks.enumerated() {
                #expect(chunk.index == index)
                #expect(chunk.text == String(text[chunk.range]))
                #expect(Array(chunk.text.utf8) == Array(Array(text.utf8)[chunk.bytes]))
                #expect(chunk.text.count <= chunker.maximumLength)
                let ends = [chunk.text.first, chunk.text.last]
                #expect(ends.allSatisfy { $0?.isWhitespace == false })
                let left = covered < chunk.range.lowerBound ? text[covered..<chunk.range.lowerBound] : ""
                #expect(left.allSatisfy { $0.isWhitespace })
                #expect(chunk.range.upperBound > covered)
                covered = chunk.range.upperBound
            }
            #expect(text[covered...].allSatisfy { $0.isWhitespace })
        }
    }
}

@Suite("Embedders")
struct EmbedderTests {
    /// Has a vector for each text that is not empty, and one too many for the text "two".
    private struct Lengths: Embedder {
        let dimensions = 2

        func embed(_ texts: [String], for purpose: EmbeddingPurpose) async throws -> [[Float]?] {
            let vectors = texts.map { $0.isEmpty ? nil : [Float($0.utf8.count), purpose == .query ? 1 : 0] }
            return texts == ["two"] ? vectors + vectors : vectors
        }
    }

    @Test("the vector of a text that is searched for is made for this purpose")
    func queryVector() async throws {
        let vector = try await Lengths().vector(forQuery: "three")
        #expect(vector == [5, 1])
    }

    @Test("no vector, and another number of vectors than texts, are errors", arguments: ["", "two"])
    func noVector(text: String) async throws {
        let error = await #expect(throws: NSError.self) { try await Lengths().vector(forQuery: text) }
        #expect(error?.domain == CBLError.domain && error?.code == CBLError.invalidParameter)
    }
}
