import Fleece
import TestSupport
import Testing

@Suite("Re-encoding Fleece")
struct ReencoderTests {
    @Test("gives the same bytes, in whatever order the keys were written")
    func sameBytes() throws {
        let seed = UInt64.random(in: .min ... .max)
        let keys = MutableSharedKeys(.empty)
        for round in 0..<2000 {
            var random = RandomValues(seed: seed &+ UInt64(round))
            let data = try FleeceData.encoded(sharedKeys: round % 2 == 0 ? keys : nil) { encoder in
                random.writeDictionary(into: &encoder, depth: 4)
            }
            #expect(try Reencoder.reencode(data.bytes) == [UInt8](data.bytes), "seed \(seed), round \(round)")
        }
    }

    @Test("gives the same bytes when strings are keys here and values there")
    func stringsInBothRoles() throws {
        let strings = ["one", "two", "three", "four"]
        let seed = UInt64.random(in: .min ... .max)
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
            #expect(try Reencoder.reencode(data.bytes) == [UInt8](data.bytes), "seed \(seed)")
        }
    }

    @Test("changes bytes that are valid but not what an encoder writes")
    func otherBytes() throws {
        let data = bytes("6801 43666F6F 8003")
        #expect(try data.withUnsafeBytes { try Reencoder.reencode($0) } == bytes("43666F6F 6001 8003 8002"))
    }

    @Test("refuses overlays and damaged data")
    func refuses() {
        for data in [overlays(1), bytes("6001 8002 8002")] {
            #expect(throws: FleeceError.self) { try data.withUnsafeBytes { try Reencoder.reencode($0) } }
        }
    }
}
