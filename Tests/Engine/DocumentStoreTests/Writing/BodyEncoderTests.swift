import Fleece
import Foundation
import Testing

@testable import DocumentStore

@Suite("Bodies encoded before their transaction")
struct BodyEncoderTests {
    let database: TestDatabase
    let collection: CollectionStore

    init() throws {
        database = try TestDatabase()
        collection = try database.collection()
    }

    private func write(_ pairs: KeyValuePairs<String, Int64>, into encoder: inout Encoder) {
        encoder.beginDictionary()
        for (key, number) in pairs {
            encoder.writeKey(key)
            encoder.write(number)
        }
        encoder.endDictionary()
    }

    /// Encodes, calls `between`, and saves.
    private func save(_ id: String, _ pairs: KeyValuePairs<String, Int64>, between: () throws -> Void = {}) throws {
        try database.file.withBodyEncoder { body in
            write(pairs, into: &body.encoder)
            let encoded = try body.finish(hasBlobs: false)
            try between()
            let outcome = try database.file.transaction { writer in
                try collection.save(DocumentSave(id, base: .latest), encoded: encoded, in: writer)
            }
            guard case .saved = outcome else { throw StoreError.conflict(documentID: id) }
        }
    }

    private func saveDirectly(_ id: String, _ pairs: KeyValuePairs<String, Int64>) throws {
        try database.file.transaction { writer in
            _ = try collection.save(DocumentSave(id, base: .latest), in: writer) { encoder in
                write(pairs, into: &encoder)
                return false
            }
        }
    }

    private func read(_ id: String) throws -> (keys: [String], bytes: [UInt8]) {
        let record = try #require(try collection.document(id))
        let keys = record.withProperties { $0.pairs.compactMap { $0.key.text(record.sharedKeys) } } ?? []
        return (keys, withExtendedLifetime(record) { [UInt8](record.body.bytes) })
    }

    @Test("a body encoded before its transaction is stored with the same bytes and keys as one encoded inside")
    func sameBytes() throws {
        try save("a", ["one": 1, "two": 2000])
        try saveDirectly("b", ["one": 1, "two": 2000])
        #expect(try read("a").keys == ["one", "two"])
        #expect(try read("a").bytes == read("b").bytes)
        #expect(try database.file.sharedKeys.keys == ["one", "two"])
        try save("c", ["two": 1, "three": 2])
        #expect(try database.file.sharedKeys.keys == ["one", "two", "three"])
    }

    @Test("shared keys added concurrently by another save are written with the right numbers")
    func race() throws {
        try save("a", ["one": 1])
        try save("b", ["mine": 1, "both": 2]) { try saveDirectly("c", ["both": 1, "theirs": 2]) }
        #expect(try database.file.sharedKeys.keys == ["one", "both", "theirs", "mine"])
        #expect(try read("b").keys == ["both", "mine"])
        // The same new keys in the same order: the numbers are correct by coincidence.
        try save("d", ["x": 1, "y": 2]) { try saveDirectly("e", ["x": 1, "y": 2]) }
        #expect(try read("d").bytes == read("e").bytes)
    }

    @Test("shared keys of a transaction that was rolled back are discarded")
    func rollback() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try database.file.transaction { _ in
                try save("a", ["gone": 1])
                try save("b", ["gone": 1, "also": 2])
                throw Stop()
            }
        }
        try save("a", ["kept": 1])
        #expect(try database.file.sharedKeys.keys == ["kept"])
        #expect(try read("a").keys == ["kept"])
    }

    @Test("a body can be encoded while another body is being encoded")
    func nested() throws {
        try database.file.withBodyEncoder { outer in
            write(["a": 1], into: &outer.encoder)
            try save("inner", ["b": 2])
            let encoded = try outer.finish(hasBlobs: false)
            _ = try database.file.transaction { writer in
                try collection.save(DocumentSave("outer", base: .none), encoded: encoded, in: writer)
            }
        }
        #expect(try read("outer").keys == ["a"])
        #expect(try read("inner").keys == ["b"])
    }
}
