import Fleece
import FleeceReencoder
import TestSupport
import Testing

@Suite("Fleece re-encoding")
struct ReencoderTests {
    @Test("re-encoding gives the same bytes for any order of the keys")
    func sameBytes() throws {
        let seed = TestSeed.forThisTest()
        let keys = MutableSharedKeys(.empty)
        for round in 0..<2000 {
            var random = RandomValues(seed: seed &+ UInt64(round))
            let data = try FleeceData.encoded(sharedKeys: round % 2 == 0 ? keys : nil) { encoder in
                random.writeDictionary(into: &encoder, depth: 4)
            }
            #expect(try Reencoder.reencode(data.bytes) == data.copiedBytes, "seed \(seed), round \(round)")
        }
    }

    @Test("re-encoding gives the same bytes when strings are both keys and values")
    func stringsInBothRoles() throws {
        let strings = ["one", "two", "three", "four"]
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            let data = try FleeceData.encoded { encoder in
                encoder.beginDictionary()
                for key in (strings + ["k", "five"]).shuffled(using: &generator) {
                    encoder.writeKey(key)
                    encoder.write(strings.randomElement(using: &generator) ?? "")
                }
                encoder.endDictionary()
            }
            #expect(try Reencoder.reencode(data.bytes) == data.copiedBytes, "seed \(seed)")
        }
    }

    @Test("re-encoding gives the same bytes for seeds with difficult values", arguments: [5254, 101_386, 174_975])
    func foundSeeds(seed: UInt64) throws {
        for keys in [nil, MutableSharedKeys(.empty)] {
            var random = RandomValues(seed: seed)
            let data = try FleeceData.encoded(sharedKeys: keys) { random.writeDictionary(into: &$0, depth: 4) }
            #expect(try Reencoder.reencode(data.bytes) == data.copiedBytes)
        }
    }

    @Test("re-encoding gives the same bytes when a container contains the strings of a later pair")
    func stringsOfContainers() throws {
        for json in [#"{"a":["key",1.5,"value"],"key":"value"}"#, #"{"key":"value","a":["key",1.5,"value"]}"#] {
            let data = try JSON.fleece(json)
            #expect(try Reencoder.reencode(data.bytes) == data.copiedBytes, "\(json)")
        }
    }

    @Test("re-encoding gives the same bytes in every order of pairs when the first strings are beyond the range of narrow pointers")
    func reach() throws {
        let filler = [UInt8](repeating: 7, count: 32800)
        for order in permutations([0, 1, 2, 3, 4]) {
            for size in stride(from: 32690, through: 32730, by: 2) {
                let data = try FleeceData.encoded { encoder in
                    encoder.beginDictionary()
                    encoder.writeKey("a")
                    encoder.write("first")
                    encoder.writeKey("b")
                    encoder.write("second")
                    encoder.writeKey("c")
                    filler.withUnsafeBytes { encoder.write(data: UnsafeRawBufferPointer(rebasing: $0[..<size])) }
                    for index in order { Self.writePair(index, into: &encoder) }
                    encoder.endDictionary()
                }
                #expect(try Reencoder.reencode(data.bytes) == data.copiedBytes, "order \(order), size \(size)")
            }
        }
    }

    @Test("re-encoding gives the same bytes for a dictionary that starts where the first strings are beyond the range of narrow pointers")
    func reachIntoDictionary() throws {
        let filler = [UInt8](repeating: 7, count: 32800)
        let pairs = [("a", "second"), ("first", "fourteen bytes")]
        for order in [pairs, pairs.reversed()] {
            for size in stride(from: 32690, through: 32730, by: 2) {
                let data = try FleeceData.encoded { encoder in
                    encoder.beginArray()
                    encoder.write("first")
                    encoder.write("second")
                    filler.withUnsafeBytes { encoder.write(data: UnsafeRawBufferPointer(rebasing: $0[..<size])) }
                    encoder.beginDictionary()
                    for (key, value) in order {
                        encoder.writeKey(key)
                        encoder.write(value)
                    }
                    encoder.endDictionary()
                    encoder.endArray()
                }
                #expect(try Reencoder.reencode(data.bytes) == data.copiedBytes, "order \(order), size \(size)")
            }
        }
    }

    /// Pairs that share their strings with each other and with earlier pairs.
    private static func writePair(_ index: Int, into encoder: inout Encoder) {
        encoder.writeKey(["d", "e", "second", "z", "new"][index])
        switch index {
        case 0, 1:
            encoder.beginArray()
            encoder.write("first")
            encoder.write(index == 0 ? "new" : "tail")
            encoder.endArray()
        case 2, 3: encoder.write("new")
        default: encoder.write("tail")
        }
    }

    private func permutations(_ items: [Int]) -> [[Int]] {
        guard let last = items.last else { return [[]] }
        return permutations(items.dropLast()).flatMap { shorter in
            (0...shorter.count).map { Array(shorter[..<$0]) + [last] + Array(shorter[$0...]) }
        }
    }

    @Test("re-encoding gives the same bytes for a large dictionary in random order")
    func largeDictionary() throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let data = try FleeceData.encoded { encoder in
            encoder.beginDictionary()
            for number in (0..<10000).shuffled(using: &generator) {
                encoder.writeKey("key\(number)")
                encoder.write("value\(Int.random(in: 0..<5000, using: &generator))")
            }
            encoder.endDictionary()
        }
        #expect(try Reencoder.reencode(data.bytes) == data.copiedBytes, "seed \(seed)")
    }

    @Test("re-encoding normalises valid bytes that no encoder writes")
    func otherBytes() throws {
        let data = bytes("6801 43666F6F 8003")
        #expect(try data.withUnsafeBytes { try Reencoder.reencode($0) } == bytes("43666F6F 6001 8003 8002"))
    }

    @Test("re-encoding refuses overlays and damaged data")
    func refuses() {
        for data in [overlays(1), bytes("6001 8002 8002")] {
            #expect(throws: FleeceError.self) { try data.withUnsafeBytes { try Reencoder.reencode($0) } }
        }
    }
}
