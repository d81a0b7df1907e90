import TestSupport
import Testing

@testable import DocumentStore

@Suite("Positions in the history of a database")
struct HistoryPositionTests {
    private func position(_ entries: [(String, UInt64, UInt64)]) throws -> HistoryPosition {
        HistoryPosition(
            database: Array(0..<16),
            entries: try entries.map { name, identity, sequence in
                HistoryPosition.Entry(collection: try #require(CollectionID(storeName: name)), identity: identity, sequence: sequence)
            }
        )
    }

    @Test("the text of a position can be read again, and is a name of letters, digits, hyphens and underscores")
    func text() throws {
        let lists: [[(String, UInt64, UInt64)]] = [
            [], [("default", 0, 7)], [("default", 0, .max), (".people", 3, 0), (".travel.Hotels", .max, 1 << 40)],
        ]
        for entries in lists {
            let position = try position(entries)
            #expect(HistoryPosition(text: position.text) == position)
            #expect(
                position.text.utf8.allSatisfy {
                    Character(UnicodeScalar($0)).isLetter || Character(UnicodeScalar($0)).isNumber || "-_".utf8.contains($0)
                }
            )
        }
        #expect(try position([("default", 0, 1)]).text == "AQABAgMEBQYHCAkKCwwNDg8HZGVmYXVsdAABJsFxhw")
    }

    @Test("a text with any changed, missing or additional character is not a position")
    func garbage() throws {
        let text = try position([("default", 0, 300), (".travel.hotels", 2, 5)]).text
        for index in text.indices {
            var changed = text
            changed.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(HistoryPosition(text: changed) == nil, "\(changed)")
            #expect(HistoryPosition(text: String(text[..<index])) == nil)
        }
        for garbage in ["", "A", "garbage", "é", text + "A", text + "AAAA", " " + text, String(repeating: "A", count: 5 << 20)] {
            #expect(HistoryPosition(text: garbage) == nil)
        }
    }

    @Test("random texts are not positions, also with the right checksum")
    func random() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(HistoryPosition(text: HistoryPosition.text(of: bytes)) == nil)
            _ = HistoryPosition(text: HistoryPosition.sealed([1] + bytes))
        }
    }
}
