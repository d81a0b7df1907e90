import Fleece
import TestSupport
import Testing

@Suite("Copies of values for SQL")
struct CopyingTests {
    /// Values of documents saved from JSON, and the keys of the original's indexes for them (Storage format 5.7).
    private static let keys: [(json: String, hex: String)] = [
        ("[5000]", "6801 19881300 8003"),
        ("[70000]", "6801 1a701101 8003"),
        ("[1700000000]", "1b00f1536500600180048002"),
        ("[4294967296]", "1c0000000001600180048002"),
        ("[2048,null]", "680219000800300000008005"),
        ("[-2049,-32769,8388608,-8388609]", "13ffff7fff00 6804 11fff700 12ff7fff 1a000080 8000000a 8009"),
        ("[1.5,2047]", "24000000c03f6002800407ff8003"),
        (#"["abc"]"#, "43616263600180038002"),
        (
            #"["alpha","beta","alpha",{"alpha":"beta","k":"alpha"}]"#,
            "45616c706861446265746100700280078005416b800a6004800c800a800e80098005"
        ),
        (#"[5000,"alpha","alpha",-70000]"#, "45616c70686168041988130080000006800000081290eefe8009"),
        (
            #"["alpha",{"alpha":70000,"z":5000},"alpha",5000]"#,
            "45616c7068617802800000041a701101417a00001988130068048000000d8000000c80000011198813008009"
        ),
        (#"[null,true,"x",[1,[2,[3]]]]"#, "60010003600200028004600200018005600430003800417880078005"),
        (
            #"["a rather long string of text",0.1,1e10,18446744073709551615]"#,
            "4f1c6120726174686572206c6f6e6720737472696e67206f66207465787428009a9999999999b93f2400f902155"
                + "01fffffffffffffffff006004801d800f800b80098005"
        ),
        (#"{"zip":94040}"#, "437a69707801800000031a586f018005"),
        (
            #"{"zip":10000,"city":"Bergen","street":"Torvet 1"}"#,
            "437a69704463697479004642657267656e00467374726565740048546f72766574203100"
                + "780380000011800000108000000e8000000c8000001b19102700800d"
        ),
        (
            #"{"a":[{"e":-3000},{"e":3000}],"b":{"c":{"d":40000}}}"#,
            "7801416500001148f40078014165000019b80b006002800b8007780141640000"
                + "19409c0070014163800770024161800d416280078005"
        ),
        (
            #"{"":1,"größe":12345,"日本":"城"}"#,
            "476772c3b6c39f6546e697a5e69cac0043e59f8e780340000000000100008000000f193930008000000f8000000d800d"
        ),
        ("[]", "6000"), ("{}", "7000"),
    ]

    private func copy(_ json: String, _ shared: MutableSharedKeys) throws -> [UInt8] {
        let data = try JSON.fleece(json, sharedKeys: shared)
        let copy = try data.withRoot { root in
            var encoder = Encoder()
            encoder.writeCopy(of: root, keys: shared.snapshot)
            return try encoder.finishedBytes()
        }
        return try #require(copy)
    }

    @Test("copied values have the same bytes as those of Couchbase Lite", arguments: keys)
    func bytesOfOriginal(_ json: String, _ hex: String) throws {
        #expect(try copy(json, MutableSharedKeys(.empty)) == bytes(hex))
    }

    @Test("the keys of copied dictionaries are ordered by shared key number, not alphabetically")
    func orderOfSharedKeys() throws {
        let shared = MutableSharedKeys(SharedKeys(["big", "outer", "n"]))
        let hex = "436269671b0000000100456f757465727801416e00001affffff7002800e800d800b80098005"
        #expect(try copy(#"{"outer":{"n":16777215},"big":16777216}"#, shared) == bytes(hex))
    }

    @Test("copied numbers keep their form: signed integers stay signed")
    func forms() throws {
        let data = try FleeceData.encoded { encoder in
            encoder.beginArray()
            encoder.write(5000 as Int64)
            encoder.write(unsigned: 5000)
            encoder.write(1.5)
            encoder.write(1.5 as Float)
            encoder.endArray()
        }
        try data.withRoot { root in
            var encoder = Encoder()
            encoder.writeCopy(of: root, keys: .empty)
            let floats = "2400 0000c03f 2000 0000c03f"
            #expect(try encoder.finishedBytes() == bytes("\(floats) 6804 11881300 19881300 8000000b 8000000a 8009"))
            let item = try #require(root.array?[0])
            encoder.writeCopy(of: item, keys: .empty)
            #expect(try encoder.finishedBytes() == bytes("11881300 8002"))
        }
    }

    @Test("copies of random values are equal to the values")
    func randomValues() throws {
        var random = RandomValues(seed: TestSeed.forThisTest())
        for _ in 0..<300 {
            let shared = MutableSharedKeys(.empty)
            let data = try FleeceData.encoded(sharedKeys: shared) { encoder in
                random.writeDictionary(into: &encoder, depth: 4)
            }
            let keys = shared.snapshot
            let copied = try data.withRoot { root in
                var encoder = Encoder()
                encoder.writeCopy(of: root, keys: keys)
                return try encoder.finishedData()
            }
            let copy = try #require(copied)
            try Validator.validate(copy.bytes)
            #expect(try copy.json(form: .canonical) == data.json(keys, form: .canonical))
        }
    }
}
