import Fleece
import FleeceReencoder
import Testing

@Suite("Fleece validator")
struct ValidatorTests {
    /// A name, the bytes, and why they are refused (Storage format 1.11).
    static let refused: [(name: String, hex: String, reason: FleeceError.Reason)] = [
        ("nothing", "", .badRoot), ("one byte", "30", .badRoot), ("an odd length", "3000 80", .badRoot),
        ("a direct root behind something", "0000 3000", .badRoot),
        ("a root pointer of distance zero", "0000 8000", .badPointer),
        ("a root pointer before the data", "0000 8002", .badPointer),
        ("a legacy root pointer before the data", "0000 C001", .badPointer),
        ("a pointer of an item of distance zero", "6001 8000 8002", .badPointer),
        ("a pointer of an item before the data", "6001 8002 8002", .badPointer),
        ("an array that contains itself", "6001 8001 8002", .truncated),
        ("a pointer to a pointer that overlaps it", "0000 8001 8001 8001", .badPointer),
        ("a wide pointer into external data", "6162 6801 C0000002 8003", .badPointer),
        ("a wide pointer of distance zero", "6801 80000000 8003", .badPointer),
        ("a string that reaches into its pointer", "44 616263 8002", .truncated),
        ("a string of a length cut short", "4F 80 8001", .truncated),
        ("a string of a length beyond 32 bits", "4F FFFFFFFF7F 8003", .truncated),
        ("a string longer than the data", "4F FFFFFFFF0F 8003", .truncated),
        ("a long integer cut short", "1700 0000 8002", .truncated), ("a float cut short", "2000 0000 8002", .truncated),
        ("a double cut short", "2800 0000 0000 8003", .truncated),
        ("an inline string that exceeds its slot", "6001 4261 8002", .truncated),
        ("an inline string that exceeds its wide slot", "6801 44616263 6400 8004", .truncated),
        ("an inline array with an item", "6001 6001 0000 8003", .truncated),
        ("an array longer than the data", "6002 0000 8002", .truncated),
        ("a wide array longer than the data", "6801 0000 8002", .truncated),
        ("a count cut short", "67FF 8080 8002", .truncated),
        ("a count beyond 32 bits", "67FF FFFFFFFFFF7F 8004", .truncated),
        ("the largest count", "67FF FFFFFFFF0F00 8004", .truncated),
        ("the largest count of a wide dictionary", "7FFF FFFFFFFF0F00 8004", .truncated),
        ("a dictionary with half a pair", "7001 0000 8002", .truncated),
        ("a dictionary as root without its slots", "7001", .truncated),
        ("an array as root without slots", "6001", .truncated),
        ("a null as key", "7001 3000 0000 8003", .badKey), ("data as key", "7001 5161 0000 8003", .badKey),
        ("an array as key", "7001 6000 0000 8003", .badKey),
        ("a pointer to data as key", "5261 6200 7001 8002 0000 8003", .badKey),
        ("a negative number as key", "7001 0FFF 0000 8003", .badKey),
        ("the parent key with an inline value", "7001 0800 7000 8003", .badKey),
        ("the parent key with a string", "4261 6200 7001 0800 8003 8003", .badKey),
        ("the parent key in second place", "7000 7002 0001 0000 0800 8004 8005", .badKey),
        ("number keys in the wrong order", "7002 0002 0000 0001 0000 8005", .unsortedKeys),
        ("a number key twice", "7002 0001 0000 0001 0000 8005", .unsortedKeys),
        ("a string before a number", "7002 4161 0000 0001 0000 8005", .unsortedKeys),
        ("strings in the wrong order", "7002 4162 0000 4161 0000 8005", .unsortedKeys),
        ("a string twice", "7002 4161 0000 4161 0000 8005", .unsortedKeys),
        ("a string that is not UTF-8", "42 FF61 00 8002", .badUTF8),
        ("a key that is not UTF-8", "7001 41C3 0000 8003", .badUTF8),
    ]

    @Test("the validator refuses data that breaks a rule", arguments: refused.indices)
    func refuses(_ index: Int) {
        let (name, hex, reason) = Self.refused[index]
        let data = bytes(hex)
        let error = #expect(throws: FleeceError.self, "\(name)") { try validate(data) }
        #expect(error?.reason == reason, "\(name)")
        #expect(error?.offset != nil)
        readEverything(data)
    }

    static let accepted: [(name: String, hex: String, json: String)] = [
        ("an empty string", "4000", "\"\""), ("a signed 5000", "11 8813 00 8002", "5000"),
        ("an unsigned 5000", "19 8813 00 8002", "5000"), ("a special with unused bits", "3100", "null"),
        ("undefined", "3C00", "null"), ("a double in four bytes", "24 00 0000C03F 8003", "1.5"),
        ("a double that would fit into four bytes", "28 00 000000000000F83F 8005", "1.5"),
        ("a string in a wide slot", "6801 43666F6F 8003", #"["foo"]"#),
        ("a long integer in a wide slot", "6801 12FFFF7F 8003", "[8388607]"),
        ("an empty array in a wide slot", "6801 60000000 8003", "[[]]"),
        ("a pointer to a wide pointer", "42616200 80000002 6001 8003 8002", #"["ab"]"#),
        (
            "an overlay",
            "42613100 42623200 7002 8005 0001 8005 0002 8005 42633300 7003 0800 800A 800D 3C00 8007 0003 8007",
            #"{"a1":1,"c3":3}"#
        ),
    ]

    @Test("the validator accepts unusual but legal data", arguments: accepted.indices)
    func accepts(_ index: Int) throws {
        let (name, hex, json) = Self.accepted[index]
        let data = FleeceData(bytes(hex))
        #expect(throws: Never.self, "\(name)") { try Validator.validate(data.bytes) }
        #expect(try data.json() == json, "\(name)")
    }

    @Test("the nesting limit is 101 levels, for arrays and overlays")
    func nesting() throws {
        func arrays(_ levels: Int) -> [UInt8] {
            var data: [UInt8] = [0x60, 0x01, 0x00, 0x00]
            for _ in 1..<levels { data += [0x60, 0x01, 0x80, 0x03] }
            return data + [0x80, 0x02]
        }
        #expect(throws: Never.self) { try validate(arrays(101)) }
        #expect(throws: FleeceError.self) { try validate(arrays(102)) }
        #expect(throws: FleeceError.self) { try validate(arrays(100_000)) }
        readEverything(arrays(100_000))
        #expect(throws: Never.self) { try validate(overlays(100)) }
        let error = #expect(throws: FleeceError.self) { try validate(overlays(102)) }
        #expect(error?.reason == .tooDeep)
    }

    @Test("eight pointers in a row are followed, and nine are refused")
    func chains() throws {
        func chain(_ pointers: Int) -> [UInt8] {
            let between = (1..<pointers).flatMap { _ in [0x80, 0, 0, 2] as [UInt8] }
            return [0x43, 0x66, 0x6F, 0x6F] + between + [0x80, 0x02]
        }
        for count in 1...8 { #expect(try FleeceData(chain(count)).json() == "\"foo\"") }
        let error = #expect(throws: FleeceError.self) { try validate(chain(9)) }
        #expect(error?.reason == .badPointer)
        readEverything(chain(9))
    }

    @Test("containers as dictionary keys are refused without descending into them")
    func containersAsKeys() {
        var data: [UInt8] = [0x70, 0x01, 0x41, 0x61, 0x00, 0x00]
        for _ in 0..<100_000 { data += [0x70, 0x01, 0x80, 0x04, 0x00, 0x00] }
        data += [0x80, 0x03]
        let error = #expect(throws: FleeceError.self) { try validate(data) }
        #expect(error?.reason == .badKey)
        readEverything(data)
    }

    @Test("containers shared exponentially are valid, but expanding them is refused")
    func exponentialGraph() throws {
        // Each array contains the previous one twice: 2^60 values when expanded.
        var data: [UInt8] = [0x60, 0x01, 0x00, 0x00]
        for level in 0..<60 {
            let distance = UInt8(level == 0 ? 3 : 4)
            data += [0x60, 0x02, 0x80, distance, 0x80, distance + 1]
        }
        data += [0x80, 0x03]
        #expect(throws: Never.self) { try validate(data) }
        let fleece = FleeceData(data)
        let error = #expect(throws: FleeceError.self) { try fleece.json() }
        #expect(error?.reason == .tooManyValues)
        var encoder = Encoder()
        fleece.withRoot { encoder.write($0, keys: .same) }
        #expect(throws: FleeceError(.tooManyValues)) { try encoder.finishedBytes() }
        #expect(fleece.withRoot { ValueComparison.areEqual($0, .empty, $0, .empty) } == false)
    }

    @Test("JSON output of a long string that is shared many times is refused")
    func sharedLongString() throws {
        var encoder = Encoder()
        encoder.beginArray()
        encoder.write(String(repeating: "x", count: 16000))
        for _ in 0..<8000 { encoder.writeNull() }
        encoder.endArray()
        var data = try encoder.finishedBytes()
        // Every narrow slot within range becomes a pointer to the same string.
        let first = data.count - 2 - 2 * 8001 + 2
        for slot in stride(from: first, to: data.count - 2, by: 2) where slot <= 0x7FFE {
            data[slot] = 0x80 | UInt8(slot >> 9)
            data[slot + 1] = UInt8(slot >> 1 & 0xFF)
        }
        let fleece = FleeceData(data)
        #expect(throws: FleeceError.self) { try fleece.json() }
    }
}

/// A chain of dictionaries, each of which overlays the previous one.
func overlays(_ count: Int) -> [UInt8] {
    var data: [UInt8] = [0x70, 0x01, 0x00, 0x07, 0x00, 0x01]
    for level in 0..<count {
        data += [0x70, 0x02, 0x08, 0x00, 0x80, level == 0 ? 0x05 : 0x07, 0x00, 0x01, 0x00, UInt8(level & 0x7F)]
    }
    return data + [0x80, 0x05]
}

func validate(_ data: [UInt8]) throws(FleeceError) {
    let fleece = FleeceData(data)
    try Validator.validate(fleece.bytes)
}

/// Applies all operations of readers to unvalidated bytes; the test fails only if there is a trap or a hang.
func readEverything(_ data: [UInt8]) {
    let fleece = FleeceData(data)
    let keys = SharedKeys(["a", "b", "c", "d"])
    fleece.withRoot { root in
        _ = try? JSON.bytes(root, sharedKeys: keys)
        _ = try? JSON.bytes(root, sharedKeys: keys, form: .canonical)
        _ = ValueComparison.areEqual(root, keys, root, .empty)
        var encoder = Encoder()
        encoder.write(root, keys: .other(keys))
        _ = try? encoder.finishedBytes()
        _ = try? Delta.json(from: root, keys, to: root, .empty)
        var result = Encoder()
        try? Delta.apply(root, keys, to: root, keys, into: &result)
        if let dictionary = root.dictionary {
            _ = dictionary[sharedKey: 1]
            _ = dictionary.value(for: "name", sharedKeys: keys)
            _ = dictionary.count
        }
        if let array = root.array { _ = array[0]; _ = array[array.count - 1]; _ = array[array.count] }
        _ = root.int64; _ = root.double; _ = root.string
    }
    _ = try? Reencoder.reencode(fleece.bytes)
}
