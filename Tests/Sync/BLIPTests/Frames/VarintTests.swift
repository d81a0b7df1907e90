import Testing

@testable import BLIP

@Suite("Variable-length numbers")
struct VarintTests {
    static let examples: [(UInt64, String)] = [
        (0, "00"), (127, "7f"), (128, "80 01"), (300, "ac 02"), (50017, "e1 86 03"), (65536, "80 80 04"),
        (.max, "ff ff ff ff ff ff ff ff ff 01"),
    ]

    @Test("the varints of the specification are encoded and decoded", arguments: examples)
    func example(value: UInt64, text: String) {
        var bytes: [UInt8] = []
        Varint.append(value, to: &bytes)
        #expect(hex(bytes) == text)
        #expect(Varint.size(of: value) == bytes.count)
        var index = 0
        #expect(Varint.read((bytes + [7])[...], at: &index) == value)
        #expect(index == bytes.count)
    }

    @Test("varints of every bit length are unchanged after a round trip")
    func bits() {
        for shift in 0..<64 {
            for value in [UInt64(1) << UInt64(shift), (UInt64(1) << UInt64(shift)) - 1] {
                var bytes: [UInt8] = []
                Varint.append(value, to: &bytes)
                #expect(Varint.size(of: value) == bytes.count)
                var index = 0
                #expect(Varint.read(bytes[...], at: &index) == value)
            }
        }
    }

    @Test(
        "varints that are truncated or exceed 64 bits are invalid",
        arguments: [
            "", "80", "ff ff", "80 80 80 80 80 80 80 80 80", "ff ff ff ff ff ff ff ff ff 02",
            "80 80 80 80 80 80 80 80 80 80 00", "ff ff ff ff ff ff ff ff ff ff ff ff",
        ]
    )
    func invalid(text: String) {
        var index = 0
        #expect(Varint.read(hex(text)[...], at: &index) == nil)
    }
}
