import Fleece
import TestSupport
import Testing

@Suite("JSON parser")
struct JSONParserTests {
    static let accepted: [(text: String, canonical: String)] = [
        ("[]", "[]"), ("{}", "{}"), (" \t\r\n[ ]\n", "[]"), ("{ \"a\" : 1 , \"b\" : [ 2 ] }", #"{"a":1,"b":[2]}"#),
        ("[null,true,false]", "[null,true,false]"),
        ("\u{FEFF}[1]", "[1]"),
        ("[0,-0,-1,2047,2048,-2048,-2049]", "[0,0,-1,2047,2048,-2048,-2049]"),
        ("[9223372036854775807,-9223372036854775808]", "[9223372036854775807,-9223372036854775808]"),
        ("[18446744073709551615]", "[18446744073709551615]"),
        ("[18446744073709551616]", "[1.8446744073709552e+19]"),
        ("[99999999999999999999]", "[1e+20]"),
        ("[-9223372036854775809]", "[-9.223372036854776e+18]"),
        ("[123456789012345678901234567890]", "[1.2345678901234568e+29]"),
        ("[0.0,-0.0,0e5,-0E-5]", "[0.0,-0.0,0.0,-0.0]"),
        ("[1.0,1e2,1E+2,1e-2,12.5e1]", "[1.0,100.0,100.0,0.01,125.0]"),
        ("[1e-400]", "[0.0]"), ("[1e-9999999999999999999999]", "[0.0]"), ("[0e9999999999999999999999]", "[0.0]"),
        ("[5e-324,1.7976931348623157e308]", "[5e-324,1.7976931348623157e+308]"),
        ("[0.1000000000000000055511151231257827021181583404541015625]", "[0.1]"),
        (#"["\"\\\/\b\f\n\r\t"]"#, #"["\"\\/\u0008\u000c\n\r\t"]"#),
        (#"["\u0041\u00e9\u20AC\uD83D\uDE00"]"#, "[\"Aé€😀\"]"),
        (#"["\u0000"]"#, #"["\u0000"]"#), ("[\"\u{7F}\"]", #"["\u007f"]"#),
        ("[\"é€😀 and a long tail of plain text, é\"]", "[\"é€😀 and a long tail of plain text, é\"]"),
        (#"["x\nlonger than eight bytes\nand again"]"#, #"["x\nlonger than eight bytes\nand again"]"#),
        (#"{"":1,"a":2}"#, #"{"":1,"a":2}"#), (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#),
        (#"{"\u0061":1}"#, #"{"a":1}"#),
    ]

    @Test("the parser accepts all JSON of RFC 8259", arguments: accepted.indices)
    func accepts(_ index: Int) throws {
        let (text, canonical) = Self.accepted[index]
        let data = try JSON.fleece(text)
        try Validator.validate(data.bytes)
        #expect(try data.json(form: .canonical) == canonical)
    }

    static let rejected: [(text: String, reason: JSONError.Reason, offset: Int)] = [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("[", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2),
        ("[1,", .unexpectedEnd, 3), ("{", .unexpectedEnd, 1), (#"{"a""#, .unexpectedEnd, 4),
        (#"{"a":"#, .unexpectedEnd, 5), (#"{"a":1"#, .unexpectedEnd, 6), (#"{"a":1,"#, .unexpectedEnd, 7),
        ("1", .notAContainer, 0), (" \"a\"", .notAContainer, 1), ("null", .notAContainer, 0),
        ("[]]", .trailingContent, 2), ("[] x", .trailingContent, 3), ("{}{}", .trailingContent, 2),
        ("[1,]", .unexpectedCharacter, 3), ("[,1]", .unexpectedCharacter, 1), ("[1 2]", .unexpectedCharacter, 3),
        ("[1}", .unexpectedCharacter, 2), (#"{"a":1]"#, .unexpectedCharacter, 6), ("{1:2}", .unexpectedCharacter, 1),
        (#"{"a" 1}"#, .unexpectedCharacter, 5), (#"{"a":1,}"#, .unexpectedCharacter, 7),
        ("{,}", .unexpectedCharacter, 1), ("['a']", .unexpectedCharacter, 1), ("[a]", .unexpectedCharacter, 1),
        ("[tru]", .unexpectedCharacter, 4), ("[nul", .unexpectedEnd, 4), ("[True]", .unexpectedCharacter, 1),
        ("[NaN]", .unexpectedCharacter, 1), ("[Infinity]", .unexpectedCharacter, 1),
        ("[/**/]", .unexpectedCharacter, 1),
        ("[+1]", .unexpectedCharacter, 1), ("[.5]", .unexpectedCharacter, 1), ("[01]", .badNumber, 1),
        ("[-01]", .badNumber, 1), ("[00]", .badNumber, 1), ("[-]", .badNumber, 2), ("[-", .unexpectedEnd, 2),
        ("[-a]", .badNumber, 2), ("[1.]", .badNumber, 3), ("[1.e5]", .badNumber, 3), ("[1e]", .badNumber, 3),
        ("[1e+]", .badNumber, 4), ("[1.5e", .unexpectedEnd, 5), ("[0x10]", .unexpectedCharacter, 2),
        ("[1_000]", .unexpectedCharacter, 2),
        ("[1e309]", .numberOutOfRange, 1), ("[-1e309]", .numberOutOfRange, 1),
        ("[1e99999999999]", .numberOutOfRange, 1),
        ("[" + String(repeating: "9", count: 400) + "]", .numberOutOfRange, 1),
        (#"["\x"]"#, .badEscape, 2), (#"["\u12G4"]"#, .badEscape, 2), (#"["\U0041"]"#, .badEscape, 2),
        (#"["\u12"#, .unexpectedEnd, 6), (#"["\"#, .unexpectedEnd, 3), (#"["abc"#, .unexpectedEnd, 5),
        (#"["\uD800"]"#, .loneSurrogate, 2), (#"["\uDC00"]"#, .loneSurrogate, 2), (#"["\uD800x"]"#, .loneSurrogate, 2),
        (#"["\uD800\n12345"]"#, .loneSurrogate, 2), (#"["\uD800\uD800"]"#, .loneSurrogate, 2),
        (#"["\uD800\u0041"]"#, .loneSurrogate, 2),
        ("[\"a\nb\"]", .controlCharacter, 3), ("[\"\u{0}\"]", .controlCharacter, 2),
        ("[\"12345678\u{1F}\"]", .controlCharacter, 10), ("[\u{A0}1]", .unexpectedCharacter, 1),
        ("[\u{B}]", .unexpectedCharacter, 1),
    ]

    @Test("invalid JSON is rejected with the reason and the byte offset", arguments: rejected.indices)
    func rejects(_ index: Int) {
        let (text, reason, offset) = Self.rejected[index]
        let error = #expect(throws: JSONError.self, "\(text)") { try JSON.fleece(text) }
        #expect(error?.reason == reason, "\(text)")
        #expect(error?.offset == offset, "\(text)")
    }

    static let badUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
        [0xE1, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF1, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ]

    @Test("strings with invalid UTF-8 are rejected with the byte offset", arguments: badUTF8, [0, 1, 7, 8, 9, 20])
    func rejectsBadUTF8(_ sequence: [UInt8], _ distance: Int) {
        let text = Array("[\"".utf8) + [UInt8](repeating: 0x61, count: distance) + sequence + Array("\"]".utf8)
        let error = #expect(throws: JSONError.self) { try text.withUnsafeBytes { bytes in try JSON.fleece(bytes) } }
        #expect(error?.reason == .badUTF8)
        #expect(error?.offset == 2 + distance)
    }

    @Test("101 levels of arrays or objects are accepted, and 102 are rejected")
    func nesting() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func text(_ depth: Int) -> String {
                String(repeating: open, count: depth - 1) + "[]" + String(repeating: close, count: depth - 1)
            }
            let data = try JSON.fleece(text(101))
            try Validator.validate(data.bytes)
            #expect(try data.json() == text(101))
            let error = #expect(throws: JSONError.self) { try JSON.fleece(text(102)) }
            #expect(error?.reason == .tooDeep)
            #expect(error?.offset == open.utf8.count * 101)
        }
        #expect(throws: JSONError.self) { try JSON.fleece(String(repeating: "[", count: 1_000_000)) }
    }

    @Test(
        "a duplicate key of an object is rejected with the offset of the second",
        arguments: [
            (#"{"a":1,"b":2,"a":3}"#, 13), (#"{"":1,"":2}"#, 6), (#"{"x":{"k":1,"l":{"k":1},"k":2}}"#, 24),
            (#"{"name":[1,{"name":2}],"\u006eame":3}"#, 23),
            (#"{"a key longer than fifteen bytes":1,"a key longer than fifteen bytes":2}"#, 37),
        ],
        [true, false]
    )
    func duplicateKeys(_ text: (String, Int), _ usesSharedKeys: Bool) {
        let keys = usesSharedKeys ? MutableSharedKeys(.empty) : nil
        let error = #expect(throws: JSONError.self) { try JSON.fleece(text.0, sharedKeys: keys) }
        #expect(error?.reason == .duplicateKey)
        #expect(error?.offset == text.1)
    }

    @Test("duplicate keys far from each other are detected")
    func distantDuplicateKeys() throws {
        let filler = String(repeating: "x", count: 40000)
        let error = #expect(throws: JSONError.self) { try JSON.fleece(#"{"key":1,"f":"\#(filler)","key":2}"#) }
        #expect(error?.reason == .duplicateKey)
        _ = try JSON.fleece(#"{"key":1,"f":"\#(filler)","kex":2}"#)
    }

    @Test("parse errors have a line and a column, counted in characters")
    func lineAndColumn() {
        let error = #expect(throws: JSONError.self) { try JSON.fleece("{\n  \"é€😀\": 1,\n  \"é\": x\n}") }
        #expect(error?.line == 3)
        #expect(error?.column == 8)
        #expect(error?.description == "JSON: unexpected character at line 3, column 8 (byte 28)")
    }

    @Test("a fragment is accepted where fragments are allowed", arguments: ["1", "\"a\"", "null", "-2.5", "true", "[1]"])
    func fragments(_ text: String) throws {
        let data = try JSON.fleece(text, allowingFragments: true)
        #expect(try data.json() == text)
    }

    @Test("non-negative integers are stored as unsigned, negative integers as signed")
    func integerKinds() throws {
        let positive = try JSON.fleece("[5000]")
        #expect(Array(positive.bytes.prefix(3)) == [0x19, 0x88, 0x13])
        let negative = try JSON.fleece("[-5000]")
        #expect(Array(negative.bytes.prefix(3)) == [0x11, 0x78, 0xEC])
    }

    @Test("decimal numbers are parsed to the same doubles as by the standard library")
    func decimals() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20000 {
            let digits = Int.random(in: 1...22, using: &generator)
            var text = String(Int.random(in: 1...9, using: &generator))
            for _ in 0..<digits { text += String(Int.random(in: 0...9, using: &generator)) }
            let point = text.index(text.startIndex, offsetBy: Int.random(in: 1...digits, using: &generator))
            text.insert(".", at: point)
            text += "e\(Int.random(in: -40...40, using: &generator))"
            let data = try JSON.fleece(text, allowingFragments: true)
            #expect(data.double == Double(text), "\(text), seed \(seed)")
        }
    }

    @Test("a number halfway between two doubles is rounded to even, and a larger one up")
    func ties() throws {
        for (text, expected) in [
            ("9007199254740993.0", 0x1p53), ("9007199254740993.00", 0x1p53), ("9007199254740995.0", 0x1p53 + 4),
            ("9007199254740993.001", 0x1p53 + 2), ("900719925474099.30e1", 0x1p53), ("9007199254740992999e-3", 0x1p53),
        ] {
            #expect(try JSON.fleece(text, allowingFragments: true).double == expected, "\(text)")
        }
    }

    @Test("damaged JSON does not crash the parser, and accepted text gives valid Fleece")
    func mutations() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let original = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",true,null],"bé":{"c":{}},"d":"\ud83d\ude00 long text"}"#.utf8)
        let alphabet = Array("{}[]\":,\\ue+-.019 \n".utf8) + [0x00, 0x80, 0xC3, 0xF0, 0xFF]
        for _ in 0..<20000 {
            var text = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<text.count, using: &generator)
                let byte = alphabet.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0...2, using: &generator) {
                case 0: text[place] = byte
                case 1: text.insert(byte, at: place)
                default: text.remove(at: place)
                }
            }
            let parsed = text.withUnsafeBytes { bytes in try? JSON.fleece(bytes) }
            if let parsed {
                #expect(throws: Never.self, "seed \(seed)") { try Validator.validate(parsed.bytes) }
            }
        }
    }
}
