import Fleece
import Testing

@Suite("Objects and arrays that are written part by part")
struct JSONMembersTests {
    @Test("commas stand between the values of a container, and nowhere else")
    func commas() throws {
        let text = JSONWriter.object { writer in
            writer.member("empty", [String]())
            writer.object("none") { _ in }
            writer.member("text", #"{"[:,"#)
            writer.member("next", -1)
            writer.array("mixed", 1...3) { writer, item in
                if item == 1 { writer.append("a") } else { writer.object { $0.member("n", item) } }
            }
            writer.objects("objects", ["x", "y"]) { $0.member($1, $1) }
            writer.member("json", json: [UInt8]("[1,2]".utf8))
            writer.array("pairs", [1, 2]) { writer, item in
                writer.value(item)
                writer.value(10 * item)
            }
        }.string
        #expect(
            text
                == #"{"empty":[],"none":{},"text":"{\"[:,","next":-1,"mixed":["a",{"n":2},{"n":3}],"objects":[{"x":"x"},{"y":"y"}],"#
                + #""json":[1,2],"pairs":[1,10,2,20]}"#
        )
        #expect(JSONWriter.array([Int]()) { $0.value($1) }.string == "[]")
    }

    @Test("several values in a writer are lines if a line feed is between them")
    func lines() {
        var writer = JSONWriter()
        for number in 1...2 {
            writer.object { $0.member("n", number) }
            writer.append(ascii: "\n")
        }
        #expect(writer.string == "{\"n\":1}\n{\"n\":2}\n")
    }

    @Test("members have values of all types, names are escaped, and nil is null")
    func members() throws {
        let json = JSONWriter.object([
            "a\"b": "é\u{1}", "b": true, "i": Int.min, "u": UInt64.max, "d": 1.5, "nil": nil, "list": [1.0, 2.5], "l": Int64(5),
        ])
        #expect(
            json.string == #"{"a\"b":"é\u0001","b":true,"i":-9223372036854775808,"u":18446744073709551615,"d":1.5,"nil":null,"#
                + #""list":[1.0,2.5],"l":5}"#
        )
        let parsed = try json.withBytes { try JSON.fleece($0) }
        #expect(parsed.withRoot { $0.dictionary?.value(for: "a\"b")?.string } == "é\u{1}")
        #expect(JSONWriter.object { $0.member("none", String?.none) }.string == #"{"none":null}"#)
    }

    @Test("a member can be a Fleece value with shared keys, and an invalid one is an error")
    func values() throws {
        let keys = MutableSharedKeys(.empty)
        var encoder = Encoder(sharedKeys: keys)
        encoder.beginDictionary()
        encoder.writeKey("inner")
        encoder.write(Int64(1))
        encoder.endDictionary()
        let data = try encoder.finishedData()
        let text = try data.withRoot { root in
            try JSONWriter.object { try $0.member("value", root, sharedKeys: keys.snapshot) }.string
        }
        #expect(text == #"{"value":{"inner":1}}"#)
        #expect(throws: FleeceError.self) {
            try data.withRoot { root in _ = try JSONWriter.object { try $0.member("value", root) }.count }
        }
    }
}
