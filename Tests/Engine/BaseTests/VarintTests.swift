import Testing

@testable import Base

@Suite("Variable-length numbers")
struct VarintTests {
    static let examples: [(UInt64, [UInt8])] = [
        (0, [0]), (127, [0x7F]), (128, [0x80, 0x01]), (300, [0xAC, 0x02]), (50017, [0xE1, 0x86, 0x03]), (65536, [0x80, 0x80, 0x04]),
        (.max, [UInt8](repeating: 0xFF, count: 9) + [0x01]),
    ]

    /// Returns a number as it is written to memory.
    private func written(_ value: UInt64) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: Varint.maximumSize, alignment: 1) { memory in
            let size = memory.baseAddress.map { Varint.write(value, to: $0) } ?? 0
            return Array(memory.prefix(size))
        }
    }

    private func appended(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        Varint.append(value, to: &bytes)
        return bytes
    }

    /// Returns the number at the start of bytes, as read from memory and from an array, which must agree, and its size.
    private func number(in bytes: [UInt8]) -> (value: UInt64, size: Int)? {
        let inMemory = bytes.withUnsafeBytes { memory in
            memory.baseAddress.flatMap { Varint.read64($0, available: memory.count) }
        }
        var index = 1
        let inArray = Varint.read(([0xFF] + bytes)[...], at: &index)
        #expect(inArray == inMemory?.value)
        #expect(index == 1 + (inMemory?.size ?? 0))
        return inMemory
    }

    @Test("the varints of the specification are encoded and decoded", arguments: examples)
    func example(value: UInt64, bytes: [UInt8]) {
        #expect(appended(value) == bytes)
        #expect(written(value) == bytes)
        #expect(Varint.size(of: value) == bytes.count)
        #expect(number(in: bytes + [7])?.value == value)
        #expect(number(in: bytes + [7])?.size == bytes.count)
    }

    @Test("varints of every bit length are unchanged after a round trip")
    func bits() {
        for shift in 0..<64 {
            for value in [UInt64(1) << UInt64(shift), (UInt64(1) << UInt64(shift)) - 1] {
                let bytes = appended(value)
                #expect(written(value) == bytes)
                #expect(Varint.size(of: value) == bytes.count)
                #expect(number(in: bytes)?.value == value)
            }
        }
    }

    @Test(
        "varints that are truncated or exceed 64 bits are invalid",
        arguments: [
            [], [0x80], [0xFF, 0xFF], [UInt8](repeating: 0x80, count: 9), [UInt8](repeating: 0xFF, count: 9) + [0x02],
            [UInt8](repeating: 0x80, count: 10) + [0x00], [UInt8](repeating: 0xFF, count: 12),
        ]
    )
    func invalid(bytes: [UInt8]) {
        #expect(number(in: bytes) == nil)
    }

    @Test("numbers above 32 bits are invalid where a number of 32 bits is read")
    func narrow() {
        for (value, expected) in [(UInt64(UInt32.max), UInt32.max), (UInt64(UInt32.max) + 1, nil)] as [(UInt64, UInt32?)] {
            let read = appended(value).withUnsafeBytes { memory in
                memory.baseAddress.flatMap { Varint.read($0, available: memory.count) }
            }
            #expect(read?.value == expected)
        }
    }
}
