import TestSupport
import Testing

@testable import Fleece

@Suite("Continued data")
struct ContinuedDataTests {
    private let data: [UInt8]
    /// An array with the dictionary in the data, a string in it, and a string in the continuation.
    private let continuation: [UInt8]

    init() throws {
        let encoded = try JSON.fleece(#"{"n":1,"name":"Hal"}"#)
        let data = withExtendedLifetime(encoded) { Array(encoded.bytes) }
        let (root, text) = data.withUnsafeBytes { bytes in
            let root = Value(root: bytes)
            return (root?.position, root?.dictionary?.value(for: "name")?.position)
        }
        var continuation: [UInt8] = [0, 0, 0, 0, 0x43, 0x78, 0x79, 0x7A, 0x60, 0x03, 0, 0, 0, 0, 0x80, 0x05, 0x80, 0x04]
        for (position, target) in [(10, try #require(root)), (12, try #require(text))] {
            let distance = (data.count + position - target) / 2
            continuation[position] = 0xC0 | UInt8(distance >> 8)
            continuation[position + 1] = UInt8(distance & 0xFF)
        }
        (self.data, self.continuation) = (data, continuation)
    }

    private func json(_ data: [UInt8], _ continuation: [UInt8]) throws -> String {
        let joined = try FleeceData(data, continuedBy: continuation)
        return try joined.withRoot { root throws(FleeceError) in try JSON.string(root) } ?? ""
    }

    @Test("external pointers lead into the data, and other pointers stay in the continuation")
    func pointers() throws {
        #expect(try json(data, continuation) == #"[{"n":1,"name":"Hal"},"Hal","xyz"]"#)
    }

    @Test("a continuation without external pointers, and one of nothing, are read as usual data")
    func plain() throws {
        var encoder = Encoder()
        encoder.beginArray()
        encoder.writeNull()
        encoder.write("a text")
        encoder.endArray()
        let continuation = [0, 0, 0, 0] + (try encoder.finishedBytes())
        #expect(try json(data, continuation) == #"[null,"a text"]"#)
        #expect(try json([], continuation) == #"[null,"a text"]"#)
    }

    @Test("wide external pointers reach far into the data")
    func wide() throws {
        let far: [UInt8] = [0x43, 0x48, 0x78, 0x78] + [UInt8](repeating: 0, count: 70_000) + [0x70, 0x00]
        let pointer = UInt32(0xC000_0000) | UInt32((far.count + 6) / 2)
        let continuation = [0, 0, 0, 0, 0x68, 0x01] + withUnsafeBytes(of: pointer.bigEndian) { Array($0) } + [0x80, 0x03]
        #expect(try json(far, continuation) == #"["Hxx"]"#)
    }

    @Test("pointers out of the data, data of an odd length, and no continuation are refused")
    func invalid() {
        for damaged in [
            ([], continuation), (data + [0], continuation), (Array(data.prefix(2)), continuation), (data, []), (data, [0, 0, 0, 0]),
            (data, Array(continuation.dropLast())),
        ] as [([UInt8], [UInt8])] {
            #expect(throws: FleeceError.self) { try FleeceData(damaged.0, continuedBy: damaged.1) }
        }
    }

    @Test("many pointers to a long chain of pointers do not take the time of their product")
    func chain() {
        // A string, pointers that each lead to the one before, and an array whose items are all pointers to the last of them.
        var continuation: [UInt8] = [0x41, 0x48, 0, 0]
        for _ in 0..<500_000 { continuation += [0x80, 0, 0, 2] }
        let last = continuation.count - 4
        let array = continuation.count
        continuation += [0x6F, 0xFE]
        for _ in 0..<0x7FE {
            let distance = UInt32(continuation.count - last) / 2
            continuation += withUnsafeBytes(of: (0x8000_0000 | distance).bigEndian) { Array($0) }
        }
        let distance = UInt16(continuation.count - array) / 2
        continuation += withUnsafeBytes(of: (0x8000 | distance).bigEndian) { Array($0) }
        #expect(throws: FleeceError.self) { try FleeceData([], continuedBy: continuation) }
    }

    @Test("a continuation with random changes is read or refused, and never read out of bounds")
    func random() throws {
        let seed = TestSeed.forThisTest()
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<20_000 {
            var changed = continuation
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                changed[Int.random(in: 4..<changed.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if Int.random(in: 0..<8, using: &generator) == 0 { changed.removeLast(2) }
            if (try? json(data, changed)) != nil { accepted += 1 }
        }
        #expect(accepted > 100)
    }
}
