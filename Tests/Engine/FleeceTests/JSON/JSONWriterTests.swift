import Fleece
import TestSupport
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    private func json(_ write: (inout Encoder) -> Void) throws -> String {
        try FleeceData.encoded(write).json()
    }

    static let doubles: [(Double, String)] = [
        (0, "0.0"), (-0.0, "-0.0"), (5, "5.0"), (-1, "-1.0"), (0.1, "0.1"), (1.5, "1.5"), (0.001, "0.001"),
        (0.0001, "0.0001"), (0.00001, "1e-05"), (1.5e-5, "1.5e-05"), (123.456, "123.456"), (-0.37, "-0.37"),
        (99.999, "99.999"), (0.1 + 0.2, "0.30000000000000004"), (1e12, "1000000000000.0"),
        (999999999999.999, "999999999999.999"), (1e15, "1000000000000000.0"), (0x1p53, "9007199254740992.0"),
        (0x1p53 + 2, "9.007199254740994e+15"), (1e20, "1e+20"), (1.7976931348623157e308, "1.7976931348623157e+308"),
        (.leastNonzeroMagnitude, "5e-324"), (1e100, "1e+100"), (1.0 / 3, "0.3333333333333333"), (37.0, "37.0"),
        (100.25, "100.25"),
        (.infinity, "null"), (-.infinity, "null"),
    ]

    @Test("a double is written as the shortest decimal that is parsed to the same double", arguments: doubles.indices)
    func formatsDoubles(_ index: Int) throws {
        let (number, text) = Self.doubles[index]
        #expect(try json { $0.write(number) } == text)
    }

    static let floats: [(Float, String)] = [
        (0, "0.0"), (0.1, "0.1"), (1.5, "1.5"), (0x1p24, "16777216.0"), (0x1p24 + 2, "1.6777218e+07"), (1e-5, "1e-05"),
        (3.4028235e38, "3.4028235e+38"),
    ]

    @Test("a float is written as the shortest decimal that is parsed to the same float", arguments: floats.indices)
    func formatsFloats(_ index: Int) throws {
        let (number, text) = Self.floats[index]
        #expect(try json { $0.write(number) } == text)
    }

    @Test("random doubles are parsed back to the same values")
    func randomDoubles() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for round in 0..<20000 {
            let number: Double
            switch round % 3 {
            case 0: number = Double(bitPattern: generator.next())
            case 1: number = Double(Int64.random(in: -1_000_000_000...1_000_000_000, using: &generator)) / 1000
            default: number = Double.random(in: -1...1, using: &generator)
            }
            guard number.isFinite else { continue }
            var writer = JSONWriter()
            writer.append(number)
            #expect(writer.string == number.description, "seed \(seed)")
            let parsed = try JSON.fleece(writer.string, allowingFragments: true)
            #expect(parsed.double == number, "\(writer.string), seed \(seed)")
        }
    }

    @Test(
        "integers are written as decimal numbers",
        arguments: [
            0, 9, 10, 99, 100, 999, 1000, 2047, 2048, 9999, 10000, 99999, 1_234_567_890, .max, .min, -1, -2048, -2049,
        ]
    )
    func formatsIntegers(_ number: Int64) throws {
        #expect(try json { $0.write(number) } == String(number))
        #expect(try json { $0.write(unsigned: UInt64(bitPattern: number)) } == String(UInt64(bitPattern: number)))
    }

    @Test("special characters are escaped anywhere in strings of any length")
    func escapes() throws {
        for length in 0..<40 {
            let plain = String(repeating: "x", count: length)
            #expect(try json { $0.write(plain) } == "\"\(plain)\"")
            for place in 0..<length {
                for (special, escaped) in [
                    ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\u{0}", "\\u0000"),
                    ("\u{1F}", "\\u001f"), ("\u{7F}", "\\u007f"), ("/", "/"), ("é", "é"), ("\u{10FFFF}", "\u{10FFFF}"),
                ] {
                    var characters = plain.map(String.init)
                    characters[place] = special
                    let text = characters.joined()
                    characters[place] = escaped
                    #expect(try json { $0.write(text) } == "\"\(characters.joined())\"")
                }
            }
        }
    }

    @Test("invalid UTF-8 is written as replacement characters")
    func badUTF8() throws {
        let written = try json { encoder in
            [UInt8]([0x61, 0xFF, 0x62, 0xC3]).withUnsafeBytes { encoder.write(utf8: $0) }
        }
        #expect(written == "\"a\u{FFFD}b\u{FFFD}\"")
    }

    @Test(
        "data is written as Base64",
        arguments: [
            ([], ""), ([1], "AQ=="), ([1, 2], "AQI="), ([1, 2, 3], "AQID"), ([0xFB, 0xFF, 0xFE], "+//+"),
            ([0x14, 0xFB, 0x9C, 0x03, 0xD9, 0x7E], "FPucA9l+"),
        ] as [([UInt8], String)]
    )
    func data(_ bytes: [UInt8], _ text: String) throws {
        #expect(try json { encoder in bytes.withUnsafeBytes { encoder.write(data: $0) } } == "\"\(text)\"")
    }

    @Test("undefined is written as null")
    func undefined() throws {
        #expect(try json { $0.writeUndefined() } == "null")
    }

    @Test("keys are written in stored order, or in byte order in the canonical form")
    func keyOrder() throws {
        let keys = MutableSharedKeys(SharedKeys(["zebra", "apple"]))
        let data = try JSON.fleece(#"{"my key":1,"apple":{"zebra":2,"a b":3,"apple":4},"zebra":5}"#, sharedKeys: keys)
        #expect(
            try data.json(keys.snapshot)
                == #"{"zebra":5,"apple":{"zebra":2,"apple":4,"a b":3},"my key":1}"#
        )
        #expect(
            try data.json(keys.snapshot, form: .canonical)
                == #"{"apple":{"a b":3,"apple":4,"zebra":2},"my key":1,"zebra":5}"#
        )
    }

    @Test("an unknown shared key throws an error, and nothing is appended")
    func unknownKey() throws {
        let keys = MutableSharedKeys(.empty)
        let data = try JSON.fleece(#"[1,{"name":1}]"#, sharedKeys: keys)
        var writer = JSONWriter()
        writer.append(raw: "before")
        for form in [JSONForm.stored, .canonical] {
            do throws(FleeceError) {
                try data.withRoot { root throws(FleeceError) in try writer.append(root, form: form) }
                Issue.record("no error")
            } catch {
                #expect(error.reason == .unknownSharedKey(0))
            }
        }
        #expect(writer.string == "before")
    }

    @Test("shared keys of a damaged table, long or with quotes, are written correctly")
    func oddSharedKeys() throws {
        let keys = SharedKeys(["a\"b", "a key of more than sixteen bytes", ""])
        let data = try FleeceData.encoded { encoder in
            encoder.beginDictionary()
            for number in 0..<3 {
                encoder.writeKey(shared: number)
                encoder.write(Int64(number))
            }
            encoder.endDictionary()
        }
        #expect(try data.json(keys) == #"{"a\"b":0,"a key of more than sixteen bytes":1,"":2}"#)
        #expect(
            try data.json(keys, form: .canonical)
                == #"{"":2,"a key of more than sixteen bytes":1,"a\"b":0}"#
        )
    }

    @Test("JSON text can be composed from scalars and punctuation")
    func composing() throws {
        var writer = JSONWriter()
        writer.append(ascii: "[")
        writer.append("a")
        writer.append(raw: ",")
        writer.append(true)
        writer.append(ascii: ",")
        writer.appendNull()
        let end = writer.count
        writer.append(Int64(-7))
        writer.truncate(to: end)
        writer.append(ascii: "]")
        #expect(writer.string == #"["a",true,null]"#)
        #expect(writer.byteArray == Array(writer.string.utf8))
        writer.removeAll()
        #expect(writer.string.isEmpty)
    }
}
