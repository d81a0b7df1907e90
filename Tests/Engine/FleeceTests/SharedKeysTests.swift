import Fleece
import Testing

@Suite("Shared keys")
struct SharedKeysTests {
    private func number(_ key: String, in keys: MutableSharedKeys) -> Int? {
        Array(key.utf8).withUnsafeBytes { keys.number(of: $0) }
    }

    @Test("shared keys are numbered in the order of their first use, nested keys included")
    func order() throws {
        let keys = MutableSharedKeys(.empty)
        _ = try JSON.fleece(#"{"b":{"c":1,"a":2},"a":3,"d":[{"e":4}]}"#, sharedKeys: keys)
        #expect(keys.snapshot.keys == ["b", "c", "a", "d", "e"])
    }

    @Test("a shared key consists of up to sixteen letters, digits, underscores and hyphens")
    func eligibility() {
        let keys = MutableSharedKeys(.empty)
        for key in ["a", "Z", "0", "_", "-", "sixteen-bytes-ok", "a_b-C9"] {
            #expect(number(key, in: keys) != nil, "\(key)")
        }
        for key in ["", "seventeen-bytes-x", "with space", "é", "a.b", "@type", "a\u{0}", "{", "/", ":", "[", "`"] {
            #expect(number(key, in: keys) == nil, "\(key)")
        }
    }

    @Test("at most 2048 keys are shared, and further keys are stored as strings")
    func capacity() throws {
        let keys = MutableSharedKeys(.empty)
        for index in 0..<2048 { #expect(number("key\(index)", in: keys) == index) }
        #expect(number("one-more", in: keys) == nil)
        #expect(keys.count == 2048)
        #expect(number("key2047", in: keys) == 2047)
        let data = try JSON.fleece(#"{"key2047":1,"one-more":2,"key0":3}"#, sharedKeys: keys)
        try Validator.validate(data.bytes)
        #expect(try data.json(keys.snapshot) == #"{"key0":3,"key2047":1,"one-more":2}"#)
    }

    @Test("shared keys are read back from their stored form")
    func storedForm() throws {
        let keys = SharedKeys(["firstName", "lastName"])
        let stored = try keys.encoded()
        #expect(stored == bytes("49 66697273744E616D65 48 6C6173744E616D65 00 6002 800B 8007 8003"))
        let read = try stored.withUnsafeBytes { try SharedKeys(encoded: $0) }
        #expect(read.keys == keys.keys)
        #expect(read.number(of: "lastName") == 1)
        #expect(read.number(of: "name") == nil)
        #expect(read[2] == nil)
        #expect(read[-1] == nil)
    }

    @Test("a stored form of shared keys that is not an array of strings is refused", arguments: ["6001 0001 8002", "7000", "4161", "6001"])
    func badStoredForm(_ hex: String) {
        #expect(throws: FleeceError.self) { try bytes(hex).withUnsafeBytes { try SharedKeys(encoded: $0) } }
    }

    @Test("a snapshot of shared keys does not change, and is reused until a key is added")
    func snapshots() {
        let keys = MutableSharedKeys(.empty)
        _ = number("a", in: keys)
        let first = keys.snapshot
        #expect(keys.snapshot === first)
        _ = number("b", in: keys)
        #expect(first.keys == ["a"])
        #expect(keys.snapshot.keys == ["a", "b"])
    }

    @Test("shared keys of a damaged database can be looked up, and the first of equal keys wins")
    func oddLists() {
        let keys = SharedKeys(["", "a key of more than sixteen bytes", "x", "x", "é"])
        #expect(keys.number(of: "") == 0)
        #expect(keys.number(of: "a key of more than sixteen bytes") == 1)
        #expect(keys.number(of: "x") == 2)
        #expect(keys.number(of: "é") == 4)
    }
}
