import Foundation
import Testing

@testable import CouchbaseLiteSwift

/// Swift's dictionaries have another order in every process, and in one process another for every capacity (API 1.4).
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
        // Otherwise this would show nothing.
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

    @Test("models with equal dictionaries are saved with the same revision ID and JSON")
    func models() throws {
        final class Model: DocumentEncodable {
            @DocumentID var id: String?
            var counts: [String: Int]
            var nested: [String: [String: [Int]]]

            init(_ keys: [String], capacity: Int) {
                id = "d"
                counts = [:]
                counts.reserveCapacity(capacity)
                nested = [:]
                nested.reserveCapacity(capacity)
                for (number, key) in keys.enumerated() {
                    counts[key] = key.utf8.count
                    nested[key] = ["y": [number * 0], "x": []]
                }
            }
        }
        var results: Set<[String]> = []
        for number in 0..<6 {
            let test = try TestDatabase()
            let database = test.database
            let keys = number % 2 == 0 ? Self.keys : Self.keys.reversed()
            try database.defaultCollection().save(from: Model(keys, capacity: 64 << number))
            let saved = try #require(database.document(withID: "d"))
            results.insert([saved.revisionID ?? "", saved.toJSON()])
        }
        #expect(results.count == 1)
    }
}
