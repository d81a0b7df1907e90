import Fleece
import Testing

@Suite("Value comparison")
struct ValueComparisonTests {
    private func areEqual(_ left: String, _ right: String) throws -> Bool {
        let leftKeys = MutableSharedKeys(.empty)
        let rightKeys = MutableSharedKeys(SharedKeys(["z", "c", "b"]))
        let leftData = try JSON.fleece(left, sharedKeys: leftKeys, allowingFragments: true)
        let rightData = try JSON.fleece(right, sharedKeys: rightKeys, allowingFragments: true)
        let plain = try JSON.fleece(right, allowingFragments: true)
        return withExtendedLifetime((leftData, rightData, plain)) {
            guard let left = leftData.root, let right = rightData.root, let plain = plain.root else { return false }
            let result = ValueComparison.areEqual(left, leftKeys.snapshot, right, rightKeys.snapshot)
            #expect(ValueComparison.areEqual(right, rightKeys.snapshot, left, leftKeys.snapshot) == result)
            #expect(ValueComparison.areEqual(left, leftKeys.snapshot, plain, .empty) == result)
            return result
        }
    }

    private func areEqual(_ left: FleeceData, _ right: FleeceData) -> Bool {
        left.withRoot { leftRoot in right.withRoot { ValueComparison.areEqual(leftRoot, .empty, $0, .empty) } } == true
    }

    @Test(
        "values with the same meaning are equal",
        arguments: [
            ("1", "1.0"), ("-5000", "-5000.0"), ("0.0", "-0.0"), ("9007199254740992", "9007199254740992.0"),
            ("18446744073709551615", "18446744073709551615"), (#"{"a":1,"b":[2]}"#, #"{"b":[2.0],"a":1}"#),
            ("[]", "[ ]"),
            (#""é""#, #""\u00e9""#), ("null", "null"), ("{}", "{}"), (#"{"a b":{"c":null}}"#, #"{"a b":{"c":null}}"#),
        ]
    )
    func equal(_ left: String, _ right: String) throws {
        #expect(try areEqual(left, right))
    }

    @Test(
        "different values are not equal",
        arguments: [
            ("1", "2"), ("1", "1.5"), ("9007199254740993", "9007199254740992.0"), ("18446744073709551615", "-1"),
            ("18446744073709551615", "18446744073709551616"), ("9223372036854775807", "9223372036854775808"),
            ("1", "true"), ("0", "false"), ("0", "null"), ("\"1\"", "1"), ("[]", "{}"), ("[1]", "[1,2]"),
            ("[1,2]", "[2,1]"),
            (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":1}"#, #"{"a":1,"b":null}"#), (#"{"a":1}"#, #"{"a":2}"#),
            ("true", "false"),
            (#""a""#, #""a ""#), (#"[{"a":[1]}]"#, #"[{"a":[2]}]"#),
        ]
    )
    func different(_ left: String, _ right: String) throws {
        #expect(try !areEqual(left, right))
    }

    @Test("data is equal to data with the same bytes, but not to a string")
    func data() throws {
        func write(_ content: [UInt8]) throws -> FleeceData {
            try .encoded { encoder in content.withUnsafeBytes { encoder.write(data: $0) } }
        }
        let data = try write([0x61, 0x62])
        let same = try write([0x61, 0x62])
        let other = try write([0x61, 0x63])
        let string = try FleeceData.encoded { $0.write("ab") }
        #expect(areEqual(data, same))
        #expect(!areEqual(data, other))
        #expect(!areEqual(data, string))
    }

    @Test("an overlay is equal to the dictionary it represents")
    func overlay() throws {
        let data = FleeceData(bytes("42613100 42623200 7002 8005 0001 8005 0002 8005 42633300 7003 0800 800A 800D 3C00 8007 0003 8007"))
        let plain = try JSON.fleece(#"{"c3":3,"a1":1}"#)
        #expect(areEqual(data, plain))
    }
}
