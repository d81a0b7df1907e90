import Fleece
import TestSupport
import Testing

@Suite("Damaged Fleece")
struct MutationTests {
    /// Bodies like those of real databases, written by this encoder in all forms, and the worked examples of the format.
    private static func originals(seed: UInt64) throws -> [[UInt8]] {
        var random = RandomValues(seed: seed)
        var bodies = try (0..<40).map { _ in
            try FleeceData.encoded { random.writeDictionary(into: &$0, depth: 3, size: 4) }.copiedBytes
        }
        for round in 0..<20 {
            let keys = MutableSharedKeys(.empty)
            let data = try FleeceData.encoded(sharedKeys: keys) { encoder in
                random.writeDictionary(into: &encoder, depth: 2 + round % 3, size: 3)
            }
            bodies.append(data.copiedBytes)
        }
        bodies.append(overlays(5))
        bodies.append(bytes("42613100 42623200 7002 8005 0001 8005 0002 8005 42633300 7003 0800 800A 800D 3C00 8007 0003 8007"))
        return bodies
    }

    /// Texts that no key stored as a string has; otherwise a string could be mistaken for a shared key.
    private static let keys = SharedKeys((0..<2048).map { "shared key \($0)" })

    private static func check(_ data: [UInt8], seed: UInt64) {
        let fleece = FleeceData(data)
        let isValid = (try? Validator.validate(fleece.bytes)) != nil
        fleece.withRoot { root in
            let json = try? JSON.bytes(root, sharedKeys: keys)
            if let json {
                let parsed = json.withUnsafeBytes { bytes in try? JSON.fleece(bytes, allowingFragments: true) }
                // Only unvalidated data can repeat keys.
                #expect(parsed != nil || !isValid, "seed \(seed): \(data)")
            }
            if isValid {
                #expect(ValueComparison.areEqual(root, keys, root, keys) || json == nil, "seed \(seed): \(data)")
            }
        }
    }

    @Test("flipped bits and random bytes in real bodies neither crash nor hang a reader")
    func flips() throws {
        let seed = TestSeed.forThisTest()
        var random = RandomValues(seed: seed)
        let originals = try Self.originals(seed: seed)
        for round in 0..<60000 {
            var data = originals[round % originals.count]
            for _ in 0..<random.number(1...3) {
                let place = random.number(0...(data.count - 1))
                if random.number(0...1) == 0 {
                    data[place] ^= 1 << UInt8(random.number(0...7))
                } else {
                    data[place] = random.byte()
                }
            }
            Self.check(data, seed: seed)
            if round % 8 == 0 { readEverything(data) }
        }
    }

    @Test("bodies truncated at either end neither crash nor hang a reader")
    func truncations() throws {
        let seed = TestSeed.forThisTest()
        for original in try Self.originals(seed: seed) {
            for length in stride(from: 0, to: original.count, by: 2) {
                Self.check(Array(original.prefix(length)), seed: seed)
                Self.check(Array(original.suffix(length)), seed: seed)
            }
        }
    }

    @Test("random bytes, mostly containers and pointers, neither crash nor hang a reader")
    func noise() {
        let seed = TestSeed.forThisTest()
        var random = RandomValues(seed: seed)
        for round in 0..<50000 {
            let pairs = random.number(1...20)
            var data: [UInt8] = []
            for _ in 0..<pairs {
                switch random.number(0...5) {
                case 0: data += [0x60 | UInt8(random.number(0...1) * 8), UInt8(random.number(0...5))]
                case 1: data += [0x70 | UInt8(random.number(0...1) * 8), UInt8(random.number(0...5))]
                case 2, 3: data += [0x80, UInt8(random.number(0...12))]
                case 4: data += [0x08, 0x00]
                default: data += [random.byte(), random.byte()]
                }
            }
            data += [0x80, UInt8(random.number(1...pairs))]
            Self.check(data, seed: seed)
            if round % 8 == 0 { readEverything(data) }
        }
    }

    @Test("a dictionary that is its own parent is treated as one without a parent")
    func cyclicOverlay() {
        for data in [
            bytes("7001 0800 8002 8003"), bytes("7002 0800 8002 0001 0002 8005"), bytes("7801 08000000 80000003 8005"),
        ] {
            let fleece = FleeceData(data)
            #expect(fleece.withRoot { $0.dictionary?[sharedKey: 5] == nil } == true)
            #expect(fleece.withRoot { $0.dictionary?.value(for: "x") == nil } == true)
            readEverything(data)
        }
    }

    @Test("a long chain of overlays is followed only up to a limit")
    func longOverlayChain() {
        let data = overlays(200_000)
        readEverything(data)
        let fleece = FleeceData(data)
        #expect(fleece.withRoot { $0.dictionary?[sharedKey: 1]?.int64 } == Int64(199_999 & 0x7F))
        #expect(fleece.withRoot { $0.dictionary?[sharedKey: 7] == nil } == true)
    }
}
