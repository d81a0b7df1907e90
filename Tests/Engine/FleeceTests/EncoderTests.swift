import Fleece
import Testing

@Suite("Fleece encoder")
struct EncoderTests {
    typealias Write = @Sendable (inout Encoder) -> Void

    /// The worked examples of Storage format 1.10.
    static let examples: [(name: String, hex: String, write: Write)] = [
        ("null", "3000", { $0.writeNull() }),
        ("false", "3400", { $0.write(false) }),
        ("true", "3800", { $0.write(true) }),
        ("123", "007B", { $0.write(Int64(123)) }),
        ("-1", "0FFF", { $0.write(Int64(-1)) }),
        ("2047", "07FF", { $0.write(Int64(2047)) }),
        ("-2048", "0800", { $0.write(Int64(-2048)) }),
        ("signed 2048", "11 0008 00 8002", { $0.write(Int64(2048)) }),
        ("unsigned 2048", "19 0008 00 8002", { $0.write(unsigned: 2048) }),
        ("signed 32768", "12 008000 8002", { $0.write(Int64(32768)) }),
        ("signed -32769", "12 FF7FFF 8002", { $0.write(Int64(-32769)) }),
        ("UInt64.max", "1F FFFFFFFFFFFFFFFF 00 8005", { $0.write(unsigned: .max) }),
        ("Int64.min", "17 0000000000000080 00 8005", { $0.write(Int64.min) }),
        ("double 1.5", "24 00 0000C03F 8003", { $0.write(1.5) }),
        ("float 1.5", "20 00 0000C03F 8003", { $0.write(Float(1.5)) }),
        ("double 0.1", "28 00 9A9999999999B93F 8005", { $0.write(0.1) }),
        ("infinity", "28 00 000000000000F07F 8005", { $0.write(Double.infinity) }),
        ("empty string", "4000", { $0.write("") }),
        ("a", "4161", { $0.write("a") }),
        ("ab", "42 6162 00 8002", { $0.write("ab") }),
        ("fifteen", "4F 0F 6162636465666768696A6B6C6D6E6F 00 8009", { $0.write("abcdefghijklmno") }),
        ("data", "53 010203 8002", { encoder in [UInt8]([1, 2, 3]).withUnsafeBytes { encoder.write(data: $0) } }),
        (
            "empty array", "6000",
            {
                $0.beginArray(); $0.endArray()
            }
        ),
        (
            "empty dictionary", "7000",
            {
                $0.beginDictionary(); $0.endDictionary()
            }
        ),
        (
            "mixed array", "6005 0001 4161 3800 6000 7000 8006",
            {
                $0.beginArray()
                $0.write(Int64(1))
                $0.write("a")
                $0.write(true)
                $0.beginArray()
                $0.endArray()
                $0.beginDictionary()
                $0.endDictionary()
                $0.endArray()
            }
        ),
        (
            "nested array", "6001 0001 6001 8003 8002",
            {
                $0.beginArray()
                $0.beginArray()
                $0.write(Int64(1))
                $0.endArray()
                $0.endArray()
            }
        ),
        (
            "repeated string", "45 68656C6C6F 6002 8004 8005 8003",
            {
                $0.beginArray()
                $0.write("hello")
                $0.write("hello")
                $0.endArray()
            }
        ),
        (
            "string key", "42 6964 00 7001 8003 0007 8003",
            {
                $0.beginDictionary()
                $0.writeKey("id")
                $0.write(Int64(7))
                $0.endDictionary()
            }
        ),
    ]

    @Test("the encoder writes the bytes of the format's worked examples", arguments: examples.indices)
    func workedExamples(_ index: Int) throws {
        let example = Self.examples[index]
        var encoder = Encoder()
        example.write(&encoder)
        #expect(try encoder.finishedBytes() == bytes(example.hex), "\(example.name)")
    }

    @Test("the worked example with shared keys is encoded with key numbers")
    func sharedKeysExample() throws {
        let keys = MutableSharedKeys(SharedKeys(["name", "age", "addr", "zip"]))
        var encoder = Encoder(sharedKeys: keys)
        encoder.beginDictionary()
        encoder.writeKey("name")
        encoder.write("Ann")
        encoder.writeKey("age")
        encoder.write(Int64(5000))
        encoder.writeKey("my key")
        encoder.writeNull()
        encoder.writeKey("addr")
        encoder.beginDictionary()
        encoder.writeKey("zip")
        encoder.write("94040")
        encoder.endDictionary()
        encoder.endDictionary()
        let expected = """
            43416E6E 11881300 466D79206B657900 453934303430 70010003 8005 7004 0000 8010 0001 8010 0002 8009 8011 3000 8009
            """
        #expect(try encoder.finishedBytes() == bytes(expected))
        #expect(keys.count == 4)
    }

    @Test("a long array has its count after the header", arguments: [(2046, "67FE"), (2047, "67FF0000"), (2200, "67FF9901")])
    func longArrays(_ count: Int, _ header: String) throws {
        var encoder = Encoder()
        encoder.beginArray()
        for _ in 0..<count { encoder.write(Int64(0)) }
        encoder.endArray()
        let encoded = try encoder.finishedBytes()
        #expect(Array(encoded.prefix(header.count / 2)) == bytes(header))
        let data = FleeceData(encoded)
        #expect(data.root?.array?.count == count)
    }

    @Test("an array with an item beyond the range of a narrow pointer is wide")
    func wideArray() throws {
        var encoder = Encoder()
        encoder.beginArray()
        encoder.write(String(repeating: "x", count: 40000))
        encoder.write(Int64(1))
        encoder.endArray()
        let encoded = try encoder.finishedBytes()
        #expect(Array(encoded.prefix(4)) == bytes("4FC0B802"))
        #expect(Array(encoded.suffix(12)) == bytes("6802 80004E23 00010000 8005"))
    }

    @Test("a root beyond the range of a narrow pointer is preceded by a wide pointer")
    func farRoot() throws {
        var encoder = Encoder()
        encoder.beginArray()
        for _ in 0..<20000 { encoder.write(Int64(1)) }
        encoder.endArray()
        let encoded = try encoder.finishedBytes()
        #expect(Array(encoded.prefix(6)) == bytes("67FFA18C0100"))
        #expect(Array(encoded.suffix(6)) == bytes("80004E23 8002"))
        let data = FleeceData(encoded)
        #expect(data.root?.array?[19999]?.int64 == 1)
    }

    @Test("the last item of an array can be moved to an earlier index")
    func movedItem() throws {
        var encoder = Encoder()
        encoder.beginArray()
        encoder.write("outside of the array that is meant")
        encoder.beginArray()
        for number in 0..<3 { encoder.write(Int64(number)) }
        encoder.write("in place of one")
        encoder.moveLastItem(to: 1)
        encoder.write(Int64(3))
        encoder.endArray()
        encoder.endArray()
        let data = try encoder.finishedData()
        let items = data.root?.array?[1]?.array
        #expect(items?.count == 4)
        #expect(items?[0]?.int64 == 0 && items?[1]?.string == "in place of one")
        #expect(items?[2]?.int64 == 2 && items?[3]?.int64 == 3)
    }

    @Test("moving the last item of an array to an invalid index throws an error", arguments: [-1, 1, 2])
    func wronglyMovedItem(index: Int) throws {
        var encoder = Encoder()
        encoder.beginArray()
        encoder.write(Int64(0))
        encoder.write(Int64(1))
        encoder.moveLastItem(to: index)
        encoder.endArray()
        #expect(throws: FleeceError(.unbalanced)) { try encoder.finishedBytes() }
    }
}
