import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// Swift's dictionaries have a different order in every process, and in one process a different order for every capacity (API 1.4).
@Suite("Key order of Swift dictionaries")
struct KeyOrderTests {
    private static let keys =
        (0..<40).map { "k\($0)" } + ["\u{E9}", "z", "Z", "\u{1F600}", "\u{FFFF}", "a key of more than sixteen bytes"]

    /// The same pairs in dictionaries whose orders differ.
    private static func dictionaries() -> [[String: Any]] {
        (0..<6).map { number in
            var dictionary: [String: Any] = [:]
            dictionary.reserveCapacity(64 << number)
            for key in number % 2 == 0 ? keys : keys.reversed() {
                dictionary[key] =
                    ["inner \(key)": 1, "b": [2.5, ["y": 1, "x": NSNull()]] as [Any], "a": "text"] as [String: Any]
            }
            return dictionary
        }
    }

    @Test("documents made from equal Swift dictionaries have the same bytes, revision ID and JSON")
    func dictionaries() throws {
        let dictionaries = Self.dictionaries()
        // Otherwise the test would prove nothing.
        #expect(Set(dictionaries.map { Array($0.keys) }).count > 1)
        var results: Set<[String]> = []
        for data in dictionaries {
            let folder = try DatabaseFolder()
            let database = try folder.open()
            let document = MutableDocument(id: "d", data: data)
            try database.saveDocument(document)
            try database.saveDocument(MutableDocument(id: "e").setValue(data, forKey: "all"))
            let saved = try ["d", "e"].map { try #require(database.document(withID: $0)) }
            results.insert(saved.flatMap { [$0.revisionID ?? "", $0.toJSON()] })
        }
        #expect(results.count == 1)
    }

    @Test("the keys of the first document of a database are stored in ascending order")
    func ascending() throws {
        let folder = try DatabaseFolder()
        let database = try folder.open()
        try database.saveDocument(MutableDocument(id: "d", data: ["key2": 10.5, "key1": 12345]))
        #expect(database.document(withID: "d")?.toJSON() == #"{"key1":12345,"key2":10.5}"#)
    }

    /// A key of a type that dictionaries encode as text.
    private struct Name: Hashable, Encodable, CodingKeyRepresentable {
        let text: String

        init(_ text: String) { self.text = text }
        init?(codingKey: some CodingKey) { text = codingKey.stringValue }

        var codingKey: any CodingKey { AnyKey(stringValue: text) }
    }

    /// A value that encodes itself as a dictionary.
    private struct Delegating: Encodable {
        var counts: [String: Int] = [:]

        func encode(to encoder: any Encoder) throws { try counts.encode(to: encoder) }
    }

    private final class Model: DocumentEncodable {
        @DocumentID var id: String?
        var counts: [String: Int] = [:]
        var nested: [String: [String: [Int]]] = [:]
        var numbers: [Int: [String: Int]] = [:]
        var names: [Name: Int] = [:]
        var delegating = Delegating()

        init(_ places: some Sequence<Int>, capacity: Int) {
            id = "d"
            counts.reserveCapacity(capacity)
            nested.reserveCapacity(capacity)
            numbers.reserveCapacity(capacity)
            names.reserveCapacity(capacity)
            delegating.counts.reserveCapacity(capacity)
            for place in places {
                let key = KeyOrderTests.keys[place]
                counts[key] = place
                nested[key] = ["y": [place], "x": []]
                numbers[place] = ["in\(place)": 1]
                names[Name("name-\(key)")] = place
                delegating.counts["own-\(key)"] = place
            }
        }
    }

    @Test("models with equal dictionaries are saved with the same revision ID and JSON, whatever the type of the keys")
    func models() throws {
        var results: Set<[String]> = []
        for number in 0..<6 {
            let test = try TestDatabase()
            let database = test.database
            let places = number % 2 == 0 ? Array(Self.keys.indices) : Self.keys.indices.reversed()
            try database.defaultCollection().save(from: Model(places, capacity: 64 << number))
            let saved = try #require(database.document(withID: "d"))
            #expect(saved["numbers"]["17"]["in17"].int == 1 && saved["names"]["name-Z"].exists && saved["delegating"]["own-z"].exists)
            results.insert([saved.revisionID ?? "", saved.toJSON()])
        }
        #expect(results.count == 1)
    }
}
