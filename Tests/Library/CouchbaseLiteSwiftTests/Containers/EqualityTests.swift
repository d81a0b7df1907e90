import Testing

@testable import CouchbaseLiteSwift

@Suite("Equality of documents and containers")
struct EqualityTests {
    static var data: [String: Any] { ["a": 1, "b": [1.5, "x", NSNull(), true], "c": ["d": ["e": 2]]] }

    @Test("equality of containers does not depend on mutability, key order and number types")
    func equal() throws {
        let first = try stored(Self.data)
        let second = MutableDictionaryObject(data: [
            "c": ["d": ["e": 2.0]], "b": [Float(1.5), "x", nil, true], "a": UInt8(1),
        ])
        let wrapper = try stored(["w": Self.data])
        let third = try #require(wrapper.dictionary(forKey: "w"))
        let fourth = try #require(wrapper.toMutable().dictionary(forKey: "w"))
        #expect(third == second)
        #expect(fourth == third)
        #expect(Set([second, third, fourth]).count == 1)
        #expect(second.array(forKey: "b") == first.array(forKey: "b"))
        #expect(second.array(forKey: "b").hashValue == first.array(forKey: "b").hashValue)
    }

    static let differences: [(any Sendable, any Sendable)] = [
        (1, 2), (1, "1"), (1, true), (0, false), ("a", "b"), ([1], [1, 2]), ([1, 2], [2, 1]),
        (["a": 1], ["a": 2]), (["a": 1], ["b": 1]), (["a": 1], ["a": 1, "b": 2]), ([1], ["a": 1]),
        (Int64.max, 0x1p63), (UInt64.max, Int64(-1)), (1 << 53 + 1, 0x1p53),
    ]

    @Test("containers with different values are not equal", arguments: differences.indices)
    func different(_ index: Int) {
        let (left, right) = Self.differences[index]
        #expect(MutableArrayObject(data: [left]) != MutableArrayObject(data: [right]))
        #expect(MutableDictionaryObject(data: ["v": left]) != MutableDictionaryObject(data: ["v": right]))
    }

    @Test("containers with equal numbers have equal hash values", arguments: [(1, 1.0), (0, -0.0), (1 << 53, 0x1p53)])
    func hashing(_ integer: Int, _ double: Double) {
        let first = MutableArrayObject(data: [integer])
        let second = MutableArrayObject(data: [double])
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
    }

    @Test("equality of documents includes the ID")
    func documents() throws {
        let first = MutableDocument(id: "a", data: Self.data)
        let stored = try DocumentCodec().roundTrip(first)
        #expect(first == stored)
        #expect(first.hashValue == stored.hashValue)
        #expect(first != MutableDocument(id: "b", data: Self.data))
        #expect(first != MutableDocument(id: "a", data: ["a": 1]))
        #expect(stored.toMutable() == stored)
    }
}
