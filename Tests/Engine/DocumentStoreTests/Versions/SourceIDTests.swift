import Testing

@testable import DocumentStore

@Suite("Source IDs")
struct SourceIDTests {
    @Test(
        "an ID of sixteen bytes has a text of 22 characters",
        arguments: [
            ("000102030405060708090a0b0c0d0e0f", "AAECAwQFBgcICQoLDA0ODw"), ("11111111111111111111111111111111", "EREREREREREREREREREREQ"),
            ("22222222222222222222222222222222", "IiIiIiIiIiIiIiIiIiIiIg"), ("33333333333333333333333333333333", "MzMzMzMzMzMzMzMzMzMzMw"),
            ("44444444444444444444444444444444", "RERERERERERERERERERERA"), ("ffffffffffffffffffffffffffffffff", "/////////////////////w"),
            ("45EBE2B22A27F93ADE7BE1277287629E", "Revision+Tree+Encoding"),
        ]
    )
    func text(_ bytes: String, _ text: String) throws {
        let id = try #require(SourceID(hex(bytes)))
        #expect(id.description == text)
        #expect(SourceID(text: ArraySlice(text.utf8)) == id)
        #expect(id.bytes == hex(bytes))
    }

    @Test("the ID of sixteen zero bytes means the database itself, and its text is an asterisk")
    func me() throws {
        let me = try #require(SourceID([UInt8](repeating: 0, count: 16)))
        #expect(me.isMe)
        #expect(me.description == "*")
        #expect(SourceID(text: ArraySlice("*".utf8)) == .me)
        #expect(SourceID.treeRevisions.description == "Revision+Tree+Encoding")
    }

    @Test(
        "a text of another length, with other characters, or with bits after the last byte is refused",
        arguments: [
            "", "**", "AAAAAAAAAAAAAAAAAAAAAA", "EREREREREREREREREREREB", "EREREREREREREREREREREE", "EREREREREREREREREREREQ=",
            "EREREREREREREREREREREQ==", "ERERERERERERERERERERE", "EREREREREREREREREREREQA", "EREREREREREREREREREÄE",
            "EREREREREREREREREREE-Q",
            "Unknown+Source",
        ]
    )
    func badText(_ text: String) { #expect(SourceID(text: ArraySlice(text.utf8)) == nil) }

    @Test("every last character that stands for two bits is accepted")
    func lastCharacter() {
        let accepted = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".filter { last in
            SourceID(text: ArraySlice("EREREREREREREREREREREQ".dropLast().utf8) + [last.asciiValue ?? 0]) != nil
        }
        #expect(accepted == "AQgw")
    }

    @Test("an ID with another number of bytes is refused", arguments: [0, 1, 15, 17, 32])
    func badBytes(_ count: Int) { #expect(SourceID([UInt8](repeating: 1, count: count)) == nil) }

    @Test("IDs are sorted by their bytes")
    func order() {
        let sorted = exampleSources.values.sorted().map(\.description)
        let expected: [Character] = ["*", "S", "E", "I", "M", "D", "R", "F"]
        #expect(sorted == expected.compactMap { exampleSources[$0]?.description })
    }
}
