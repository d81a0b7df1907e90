import Testing

@testable import CouchbaseLiteSwift

@Suite("Numbers in documents")
struct NumberTests {
    @Test("integers in documents keep their full range", arguments: [Int64.min, -1, 0, 2047, 2048, 1 << 53 + 1, .max])
    func integers(_ number: Int64) throws {
        let document = try DocumentCodec().roundTrip(MutableDocument().setInt64(number, forKey: "v"))
        #expect(document.int64(forKey: "v") == number)
        #expect(document.int(forKey: "v") == Int(number))
        #expect(document.value(forKey: "v") as? Int64 == number)
    }

    @Test("unsigned integers above the signed range are kept, and signed getters clamp them")
    func unsigned() throws {
        let document = try stored(["v": UInt64.max, "w": NSNumber(value: UInt64.max - 1)])
        #expect(document.value(forKey: "v") as? UInt64 == .max)
        #expect(document.number(forKey: "w")?.uint64Value == UInt64.max - 1)
        #expect(document.int64(forKey: "v") == .max)
        #expect(document.double(forKey: "v") == 0x1p64)
    }

    @Test(
        "doubles in documents keep their full range",
        arguments: [0.1, -0.0, .greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude, 1e300]
    )
    func doubles(_ number: Double) throws {
        let document = try DocumentCodec().roundTrip(MutableDocument().setDouble(number, forKey: "v"))
        #expect(document.double(forKey: "v").bitPattern == number.bitPattern)
        #expect(document.number(forKey: "v")?.doubleValue == number)
    }

    @Test("floats in documents stay floats", arguments: [Float(0.1), .greatestFiniteMagnitude, .leastNormalMagnitude])
    func floats(_ number: Float) throws {
        let document = try DocumentCodec().roundTrip(MutableDocument().setFloat(number, forKey: "v"))
        #expect(document.float(forKey: "v") == number)
        #expect(document.double(forKey: "v") == Double(number))
        #expect(document.value(forKey: "v") as? Float == number)
    }

    @Test("integer getters clamp doubles beyond the range of integers", arguments: [(1e30, Int.max), (-1e30, Int.min)])
    func clamped(_ number: Double, _ expected: Int) throws {
        let document = MutableDocument().setDouble(number, forKey: "v")
        #expect(document.int(forKey: "v") == expected)
        #expect(try DocumentCodec().roundTrip(document).int(forKey: "v") == expected)
    }

    @Test("every native integer type can be stored in a document")
    func nativeTypes() throws {
        let document = try stored([
            "a": Int8(-8), "b": Int16(-16), "c": Int32(-32), "d": UInt8(8), "e": UInt16(16), "f": UInt32(32),
            "g": UInt(64),
            "h": Int64(-64),
        ])
        #expect(
            ["a", "b", "c", "d", "e", "f", "g", "h"].map { document.int(forKey: $0) } == [
                -8, -16, -32, 8, 16, 32, 64, -64,
            ]
        )
    }

    @Test("floating-point types without a stored form of their own are stored as doubles")
    func otherFloats() throws {
        let document = try stored(["a": Float16(1.5), "b": CGFloat(2.5), "c": Decimal(3.5)])
        #expect(["a", "b", "c"].map { document.double(forKey: $0) } == [1.5, 2.5, 3.5])
    }

    @Test("wide integers are stored if they fit, and raise an exception otherwise")
    func wideIntegers() throws {
        let document = try stored(["a": Int128(-5), "b": UInt128(UInt64.max)])
        #expect(document.int(forKey: "a") == -5)
        #expect(document.value(forKey: "b") as? UInt64 == .max)
        for number in [Int128(1) << 64, Int128(Int64.min) - 1] {
            #expect(misuse { MutableDocument().setValue(number, forKey: "a") }?.name == inconsistency)
        }
    }

    @Test("a boolean in an NSNumber stays a boolean, and the NSNumber 1 stays a number")
    func booleanNumbers() throws {
        let document = try stored(["t": NSNumber(value: true), "f": NSNumber(value: false), "one": NSNumber(value: 1)])
        #expect(document.toJSON().contains("\"t\":true"))
        #expect(document.toJSON().contains("\"f\":false"))
        #expect(document.toJSON().contains("\"one\":1"))
        #expect(document.value(forKey: "t") as? NSNumber === NSNumber(value: true))
        #expect(document.value(forKey: "one") as? NSNumber !== NSNumber(value: true))
    }

    @Test("a document with a floating-point value that is not a number cannot be saved")
    func notANumber() {
        let document = MutableDocument().setDouble(.nan, forKey: "v")
        #expect(throws: (any Error).self) { try DocumentCodec().roundTrip(document) }
    }
}
