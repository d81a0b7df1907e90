import Base
import Testing

@testable import BLIP

@Suite("Message properties")
struct PropertiesTests {
    private func encoded(_ properties: Properties) -> [UInt8] {
        var bytes: [UInt8] = []
        properties.encode(to: &bytes)
        return bytes
    }

    @Test("encoded properties contain names and values in order, each followed by a NUL")
    func encoding() {
        #expect(encoded([:]) == [0])
        #expect(encoded(["Profile": "rev", "id": "", "ü": "€"]) == [23] + Array("Profile\0rev\0id\0\0ü\0€\0".utf8))
    }

    @Test("properties are unchanged after a round trip")
    func roundTrip() throws {
        let long = String(repeating: "é", count: 200)
        for properties: Properties in [["a": "b"], ["Profile": "rev", "rev": ""], [long: long, "x": "y"], ["": ""]] {
            var bytes: [UInt8] = []
            properties.encode(to: &bytes)
            var index = 0
            #expect(Varint.read(bytes[...], at: &index) == UInt64(bytes.count - index))
            #expect(try Properties(decoding: bytes[index...]) == properties)
        }
        #expect(try Properties(decoding: []) == [:])
    }

    @Test("NULs are removed from encoded names and values")
    func stringsWithNUL() {
        #expect(encoded(["a\0b": "\0", "c": "d\0"]) == [8] + Array("ab\0\0c\0d\0".utf8))
    }

    @Test("invalid property data is refused")
    func invalid() {
        func failure(_ bytes: [UInt8]) -> Properties.DecodingFailure? {
            do throws(Properties.DecodingFailure) {
                _ = try Properties(decoding: bytes[...])
                return nil
            } catch {
                return error
            }
        }
        #expect(failure(Array("a\0b".utf8)) == .noFinalNUL)
        #expect(failure(Array("a\0b\0c\0".utf8)) == .nameWithoutValue)
        #expect(failure([0]) == .nameWithoutValue)
        #expect(failure([0x61, 0, 0xC3, 0]) == .notUTF8)
        #expect(failure([0xFF, 0, 0]) == .notUTF8)
        #expect(failure([0, 0]) == nil)
    }

    @Test("the first value of a duplicate property name is used")
    func duplicates() throws {
        #expect(try Properties(decoding: Array("a\u{0}1\0a\u{0}2\0".utf8)[...])["a"] == "1")
    }

    @Test("setting a property replaces its value, and setting nil removes it")
    func subscripts() {
        var properties: Properties = ["a": "1", "b": "2"]
        properties["a"] = "3"
        properties["c"] = "4"
        properties["b"] = nil
        properties["d"] = nil
        #expect(properties == ["a": "3", "c": "4"])
        #expect(properties["b"] == nil)
    }
}
