import Fleece
import Testing

@Suite("Fleece data of one string")
struct FleeceDataTests {
    @Test("a short string has the same bytes as from an encoder, at every length", arguments: ["a", "é", "𝄞"])
    func equalsEncoder(character: String) throws {
        for count in 0...(1000 / character.utf8.count) {
            let string = String(repeating: character, count: count)
            var encoder = Encoder()
            encoder.write(string)
            let expected = try encoder.finishedBytes()
            let data = try #require(FleeceData(shortString: string))
            #expect([UInt8](data.bytes) == expected, "\(count) characters")
            #expect(data.withRoot { $0.string } == string)
        }
    }

    @Test("a string of more than a thousand bytes is left to the encoder")
    func longString() {
        #expect(FleeceData(shortString: String(repeating: "x", count: 1001)) == nil)
    }
}
