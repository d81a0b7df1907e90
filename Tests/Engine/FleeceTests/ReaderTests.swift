import Fleece
import TestSupport
import Testing

@Suite("Fleece reader")
struct ReaderTests {
    @Test("a narrow pointer with the external bit is read with fifteen bits of distance")
    func legacyPointer() throws {
        // A string 32770 bytes before its slot, which is beyond the range of fourteen bits.
        var data = bytes("42616200")
        data += [UInt8](repeating: 0, count: 32766 - 2)
        data += bytes("6001 C001")
        let slot = data.count - 2
        data += bytes("8002")
        // C001 is a distance of 2 × 0x4001.
        #expect(slot == 2 * 0x4001)
        try validate(data)
        #expect(try FleeceData(data).json() == #"["ab"]"#)
    }

    @Test("an overlay hides, deletes and adds keys of its parent")
    func overlay() throws {
        let data = FleeceData(bytes("42613100 42623200 7002 8005 0001 8005 0002 8005 42633300 7003 0800 800A 800D 3C00 8007 0003 8007"))
        try data.withRoot { root in
            let dictionary = try #require(root.dictionary)
            #expect(dictionary.count == 2)
            #expect(dictionary.value(for: "a1")?.int64 == 1)
            #expect(dictionary.value(for: "b2") == nil)
            #expect(dictionary.value(for: "c3")?.int64 == 3)
            #expect(dictionary.value(for: "d4") == nil)
            #expect(dictionary.pairs.map { $0.key.text(.empty) } == ["a1", "c3"])
        }
        var encoder = Encoder()
        data.withRoot { encoder.write($0, keys: .same) }
        #expect(try encoder.finishedData().json() == #"{"a1":1,"c3":3}"#)
    }

    @Test("undefined is a value that reads as null")
    func undefined() throws {
        let data = try FleeceData.encoded { encoder in
            encoder.beginDictionary()
            encoder.writeKey("a")
            encoder.writeUndefined()
            encoder.endDictionary()
        }
        #expect(data.withRoot { $0.dictionary?.value(for: "a")?.isNull } == true)
        #expect(data.withRoot { $0.dictionary?.count } == 1)
        #expect(try data.json() == #"{"a":null}"#)
    }

    @Test("nested overlays are read from the nearest layer that has the key")
    func nestedOverlays() throws {
        let data = FleeceData(overlays(5))
        #expect(data.withRoot { $0.dictionary?[sharedKey: 1]?.int64 } == 4)
        #expect(data.withRoot { $0.dictionary?[sharedKey: 0] == nil } == true)
        #expect(data.withRoot { $0.dictionary?[sharedKey: 7]?.int64 } == 1)
        #expect(data.withRoot { $0.dictionary?.count } == 2)
    }

    @Test("a shared key is looked up by its number only, any other key by its text")
    func canonicalKeys() throws {
        let keys = MutableSharedKeys(.empty)
        let data = try JSON.fleece(#"{"shared":1,"not shared":2}"#, sharedKeys: keys)
        data.withRoot { root in
            #expect(root.dictionary?.value(for: "shared", sharedKeys: keys.snapshot)?.int64 == 1)
            #expect(root.dictionary?.value(for: "shared") == nil)
            #expect(root.dictionary?.value(for: "not shared", sharedKeys: keys.snapshot)?.int64 == 2)
        }
    }

    @Test("every key of a dictionary is found, and missing keys are not", arguments: [0, 1, 2, 3, 24, 25, 100, 2046, 2047, 3000])
    func lookup(_ count: Int) throws {
        for usesSharedKeys in [false, true] {
            let keys = usesSharedKeys ? MutableSharedKeys(.empty) : nil
            let data = try FleeceData.encoded(sharedKeys: keys) { encoder in
                encoder.beginDictionary()
                for index in 0..<count {
                    encoder.writeKey("key\(index * 7919 % 100_003)")
                    encoder.write(Int64(index))
                }
                encoder.endDictionary()
            }
            try Validator.validate(data.bytes)
            let snapshot = keys?.snapshot ?? .empty
            data.withRoot { root in
                #expect(root.dictionary?.count == count)
                for index in 0..<count {
                    let value = root.dictionary?.value(for: "key\(index * 7919 % 100_003)", sharedKeys: snapshot)
                    #expect(value?.int64 == Int64(index))
                }
                #expect(root.dictionary?.value(for: "key", sharedKeys: snapshot) == nil)
                #expect(root.dictionary?.value(for: "zzz", sharedKeys: snapshot) == nil)
            }
        }
    }

    @Test("numbers are converted and clamped at the limits")
    func conversions() throws {
        let cases: [(write: @Sendable (inout Encoder) -> Void, int64: Int64, double: Double)] = [
            ({ $0.write(unsigned: .max) }, .max, 0x1p64), ({ $0.write(Int64.min) }, .min, -0x1p63),
            ({ $0.write(1e300) }, .max, 1e300), ({ $0.write(-1e300) }, .min, -1e300), ({ $0.write(-1.9) }, -1, -1.9),
            ({ $0.write(true) }, 1, 1), ({ $0.write(Float(0.5)) }, 0, 0.5), ({ $0.write(Int64(-2049)) }, -2049, -2049),
        ]
        for (write, int64, double) in cases {
            let data = try FleeceData.encoded(write)
            #expect(data.withRoot { $0.int64 } == int64)
            #expect(data.double == double)
        }
    }

    @Test("integers of every size are unchanged after a round trip, signed and unsigned")
    func integers() throws {
        for shift in 0..<64 {
            for offset in [-1, 0, 1] as [Int64] {
                let number = (Int64(1) << Int64(shift)) &+ offset
                for signed in [number, 0 &- number] {
                    let data = try FleeceData.encoded { $0.write(signed) }
                    #expect(data.withRoot { $0.int64 } == signed)
                    let unsigned = UInt64(bitPattern: signed)
                    let other = try FleeceData.encoded { $0.write(unsigned: unsigned) }
                    #expect(try other.json() == String(unsigned))
                }
            }
        }
    }

    @Test("random values are unchanged after a round trip, with and without shared keys")
    func roundTrips() throws {
        let seed = TestSeed.forThisTest()
        let keys = MutableSharedKeys(.empty)
        for round in 0..<1000 {
            var random = RandomValues(seed: seed &+ UInt64(round))
            let plain = try FleeceData.encoded { random.write(into: &$0, depth: 5, onlyJSON: true) }
            random = RandomValues(seed: seed &+ UInt64(round))
            let keyed = try FleeceData.encoded(sharedKeys: keys) { random.write(into: &$0, depth: 5, onlyJSON: true) }
            try Validator.validate(plain.bytes)
            try Validator.validate(keyed.bytes)
            let canonical = try plain.json(form: .canonical)
            #expect(try keyed.json(keys.snapshot, form: .canonical) == canonical, "seed \(seed)")
            let parsed = try JSON.fleece(plain.json(), allowingFragments: true)
            #expect(try parsed.json(form: .canonical) == canonical, "seed \(seed)")
            let areEqual = plain.withRoot { left in
                keyed.withRoot { ValueComparison.areEqual(left, .empty, $0, keys.snapshot) } ?? false
            }
            #expect(areEqual == true, "seed \(seed)")
            var encoder = Encoder()
            keyed.withRoot { encoder.write($0, keys: .other(keys.snapshot)) }
            #expect(try encoder.finishedData().json(form: .canonical) == canonical, "seed \(seed)")
        }
    }
}
