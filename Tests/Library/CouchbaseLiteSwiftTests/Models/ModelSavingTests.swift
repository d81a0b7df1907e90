import DocumentStore
import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Saving, reading and deleting of models")
struct ModelSavingTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "hotels")
    }

    @Test("an object is read back as it was saved")
    func roundTrip() throws {
        let hotel = Hotel("Ritz", id: "ritz")
        hotel.opened = Date(timeIntervalSince1970: 1_700_000_000.125)
        try collection.save(from: hotel)
        let read = try #require(try collection.document(id: "ritz", as: Hotel.self))
        #expect(read == hotel)
        #expect(read.id == "ritz")
        #expect(read !== hotel)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("an object without an ID gets one when it is saved, and keeps it")
    func generatedID() throws {
        let hotel = Hotel("Ritz")
        try collection.save(from: hotel)
        let id = try #require(hotel.id)
        #expect(id.count == 23)
        hotel.stars = 5
        try collection.save(from: hotel)
        #expect(hotel.id == id)
        #expect(collection.count == 1)
        #expect(try collection.document(id: id)?.int(forKey: "stars") == 5)
        #expect(try collection.document(id: id)?.revisionID?.hasPrefix("2-") == true)
    }

    @Test("an object that cannot be saved gets no ID")
    func failedSave() throws {
        let box = Box(Double.nan)
        #expect(thrown { try collection.save(from: box) } == .encoding)
        #expect(box.id == nil)
        #expect(collection.count == 0)
    }

    @Test("the ID of an object is not stored in the body, and its nil properties are null")
    func body() throws {
        try collection.save(from: Hotel("Ritz", id: "ritz"))
        let document = try #require(try collection.document(id: "ritz"))
        #expect(
            document.keys.sorted()
                == ["address", "isOpen", "kind", "name", "note", "opened", "prices", "rating", "share", "stars", "tags"]
        )
        #expect(document.value(forKey: "note") is NSNull && document.value(forKey: "opened") is NSNull)
    }

    @Test("properties that a class does not have are ignored when reading and removed when saving")
    func unknownProperties() throws {
        try collection.save(from: Hotel("Ritz", id: "ritz"))
        let document = try #require(try collection.document(id: "ritz")?.toMutable())
        try collection.save(document: document.setString("x", forKey: "extra"))
        let hotel = try #require(try collection.document(id: "ritz", as: Hotel.self))
        try collection.save(from: hotel)
        #expect(try collection.document(id: "ritz")?.contains(key: "extra") == false)
    }

    @Test("reading a missing or deleted document returns nil")
    func missing() throws {
        #expect(try collection.document(id: "ritz", as: Hotel.self) == nil)
        let hotel = Hotel("Ritz", id: "ritz")
        try collection.save(from: hotel)
        try collection.delete(for: hotel)
        #expect(try collection.document(id: "ritz", as: Hotel.self) == nil)
    }

    @Test("the ID property may have any name, but must be marked")
    func reflection() throws {
        final class Other: Codable {
            var name = "x"
            @DocumentID var key: String?
            init(key: String?) { self.key = key }
        }
        final class None: Codable {
            var id: String? = "x"
        }
        try collection.save(from: Other(key: "k"))
        #expect(try collection.document(id: "k", as: Other.self)?.key == "k")
        #expect(try collection.document(id: "k")?.toJSON() == #"{"name":"x"}"#)
        #expect(thrown { try collection.save(from: None()) } == .invalidParameter)
        #expect(thrown { _ = try collection.document(id: "k", as: None.self) } == .invalidParameter)
        #expect(thrown { try collection.delete(for: None()) } == .invalidParameter)
        #expect(thrown { try collection.purge(for: None()) } == .invalidParameter)
        #expect(collection.count == 1)
    }

    @Test("an invalid ID and a closed database are refused")
    func refused() throws {
        #expect(thrown { try collection.save(from: Hotel("x", id: "")) } == .couchbaseLite(CBLError.badDocID))
        try database.close()
        let hotel = Hotel("x")
        #expect(thrown { try collection.save(from: hotel) } == .notOpen)
        #expect(thrown { _ = try collection.document(id: "x", as: Hotel.self) } == .notOpen)
        #expect(thrown { try collection.delete(for: Hotel("x", id: "x")) } == .notOpen)
    }

    @Test("the ID of a saved or read object cannot be changed, and that of a purged one can")
    func changedID() throws {
        let hotel = Hotel("Ritz", id: "a")
        hotel.id = "ritz"
        try collection.save(from: hotel)
        #expect(misuse { hotel.id = "b" }?.name == invalidArgument)
        let read = try #require(try collection.document(id: "ritz", as: Hotel.self))
        #expect(misuse { read.id = nil }?.name == invalidArgument)
        try collection.purge(for: hotel)
        hotel.id = "b"
        try collection.save(from: hotel)
        #expect(try collection.document(id: "b", as: Hotel.self) == hotel)
    }

    @Test("an object with a reserved property of the replication protocol is refused")
    func reservedKey() throws {
        let object = Custom { encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: "_rev")
        }
        #expect(thrown { try collection.save(from: object) } == .invalidParameter)
    }

    // MARK: Concurrency

    @Test("conflicting objects of one document are saved or deleted as the concurrency control says")
    func concurrencyControl() throws {
        let first = Hotel("Ritz", id: "ritz")
        try collection.save(from: first)
        let second = try #require(try collection.document(id: "ritz", as: Hotel.self))
        second.stars = 4
        #expect(try collection.save(from: second, concurrencyControl: .failOnConflict))
        first.stars = 1
        #expect(try !collection.save(from: first, concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "ritz", as: Hotel.self)?.stars == 4)
        #expect(try collection.save(from: first, concurrencyControl: .lastWriteWins))
        #expect(try collection.document(id: "ritz", as: Hotel.self)?.stars == 1)
        #expect(try collection.save(from: first, concurrencyControl: .failOnConflict))
        #expect(try !collection.delete(for: second, concurrencyControl: .failOnConflict))
        #expect(try collection.delete(for: second, concurrencyControl: .lastWriteWins))
        #expect(try !collection.delete(for: first, concurrencyControl: .failOnConflict))
        // The object gets the existing tombstone, and can then create another one after it.
        #expect(try collection.delete(for: first, concurrencyControl: .lastWriteWins))
        #expect(try collection.delete(for: first, concurrencyControl: .failOnConflict))
        #expect(try !collection.delete(for: second, concurrencyControl: .failOnConflict))
    }

    @Test("a new object with the ID of an existing document conflicts with it")
    func newObjectOfOldDocument() throws {
        try collection.save(from: Hotel("Ritz", id: "ritz"))
        #expect(try !collection.save(from: Hotel("x", id: "ritz"), concurrencyControl: .failOnConflict))
        #expect(try !collection.delete(for: Hotel("x", id: "ritz"), concurrencyControl: .failOnConflict))
        try collection.save(from: Hotel("y", id: "ritz"))
        #expect(try collection.document(id: "ritz", as: Hotel.self)?.name == "y")
        try collection.delete(for: Hotel("x", id: "ritz"))
        #expect(collection.count == 0)
    }

    @Test("a conflict handler gets both objects and may merge them")
    func conflictHandler() throws {
        let mine = Hotel("Ritz", id: "ritz")
        try collection.save(from: mine)
        let theirs = try #require(try collection.document(id: "ritz", as: Hotel.self))
        theirs.stars = 5
        try collection.save(from: theirs)
        mine.name = "The Ritz"
        #expect(try !collection.save(from: mine) { _, _ in false })
        var calls = 0
        let saved = try collection.save(from: mine) { object, stored in
            calls += 1
            #expect(object === mine)
            #expect(stored == theirs)
            #expect(stored?.id == "ritz")
            if calls == 1 {
                // Another writer saves first once more.
                theirs.tags = []
                #expect(throws: Never.self) { try collection.save(from: theirs) }
            }
            object.stars = stored?.stars ?? 0
            object.tags = stored?.tags ?? []
            return true
        }
        #expect(saved && calls == 2)
        let merged = try #require(try collection.document(id: "ritz", as: Hotel.self))
        #expect(merged.name == "The Ritz" && merged.stars == 5 && merged.tags == [])
        #expect(try collection.save(from: mine, concurrencyControl: .failOnConflict))
    }

    @Test("a conflict handler gets nil for a deleted document, and a purged document throws notFound")
    func conflictWithDeletion() throws {
        let mine = Hotel("Ritz", id: "ritz")
        try collection.save(from: mine)
        try collection.delete(for: Hotel("", id: "ritz"))
        var stored: Hotel?? = .none
        #expect(
            try collection.save(from: mine) { _, deleted in
                stored = deleted
                return true
            }
        )
        #expect(stored == .some(nil))
        #expect(collection.count == 1)
        try collection.purge(id: "ritz")
        #expect(thrown { try collection.save(from: mine) { _, _ in true } } == .notFound)
        #expect(try !collection.save(from: mine, concurrencyControl: .failOnConflict))
        try collection.save(from: mine)
        #expect(try collection.document(id: "ritz")?.revisionID?.hasPrefix("1-") == true)
    }

    @Test("a conflict with a document that cannot be decoded throws a decoding error")
    func conflictWithOtherDocument() throws {
        try collection.save(document: MutableDocument(id: "ritz").setInt(1, forKey: "name"))
        #expect(thrown { try collection.save(from: Hotel("x", id: "ritz")) { _, _ in true } } == .decoding)
    }

    // MARK: Deleting

    @Test("an object without an ID or a document cannot be deleted or purged")
    func deleteNothing() throws {
        #expect(thrown { try collection.delete(for: Hotel("x")) } == .notFound)
        #expect(thrown { try collection.purge(for: Hotel("x")) } == .notFound)
        #expect(thrown { try collection.delete(for: Hotel("x", id: "x")) } == .notFound)
        #expect(thrown { try collection.purge(for: Hotel("x", id: "x")) } == .notFound)
    }

    @Test("a deleted object can be saved again")
    func saveDeleted() throws {
        let hotel = Hotel("Ritz", id: "ritz")
        try collection.save(from: hotel)
        try collection.delete(for: hotel)
        #expect(try collection.save(from: hotel, concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "ritz")?.revisionID?.hasPrefix("3-") == true)
    }

    // MARK: Encoding and locks

    @Test("objects are encoded outside of transactions, and their encode(to:) may use the database")
    func encodingOutsideOfLocks() throws {
        let file = try database.openFile()
        let object = Custom { [collection] encoder in
            #expect(!file.isInTransaction)
            try collection.save(from: Hotel("inner", id: "inner"))
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(collection.document(id: "inner", as: Hotel.self)?.name, forKey: "name")
            try container.encode("x", forKey: "a new key")
        }
        try collection.save(from: object)
        try collection.save(from: object)
        let id = try #require(object.id)
        let document = try #require(try collection.document(id: id))
        #expect(document.toDictionary() as? [String: String] == ["name": "inner", "a new key": "x"])
        #expect(try collection.document(id: "inner", as: Hotel.self)?.name == "inner")
    }

    @Test("objects saved in a batch are committed or rolled back with it")
    func batches() throws {
        struct Stop: Error {}
        try database.inBatch {
            for number in 0..<100 { try collection.save(from: Hotel("hotel \(number)", id: "\(number)")) }
        }
        #expect(collection.count == 100)
        // The new keys of this batch are rolled back too, and must not be used afterwards.
        #expect(throws: (any Error).self) {
            try database.inBatch {
                try collection.save(from: Box(["brandNew": 1], id: "x"))
                try collection.save(from: Box(["brandNew": 2, "newer": 3], id: "y"))
                throw Stop()
            }
        }
        try collection.save(from: Box(["other": 1], id: "z"))
        try collection.save(from: Box(["brandNew": 1, "newer": 2], id: "zz"))
        #expect(try collection.document(id: "z", as: Box<[String: Int]>.self)?.value == ["other": 1])
        #expect(try collection.document(id: "zz", as: Box<[String: Int]>.self)?.value == ["brandNew": 1, "newer": 2])
        #expect(collection.count == 102)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("shared keys that are added between encoding and saving do not corrupt the object")
    func racingKeys() throws {
        try collection.save(from: Hotel("x"))
        let object = Custom { [collection] encoder in
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(1, forKey: "mine1")
            try container.encode(2, forKey: "both")
            try collection.save(document: MutableDocument().setInt(1, forKey: "theirs").setInt(2, forKey: "both"))
            try container.encode(["mine2": 3], forKey: "mine1x")
        }
        try collection.save(from: object)
        let id = try #require(object.id)
        let json = try collection.document(id: id)?.toDictionary()
        #expect(try canonical(json as Any) == #"{"both":2,"mine1":1,"mine1x":{"mine2":3}}"#)
        try database.close()
        #expect(try folder.problems() == [])
    }
}

@Suite("Model objects in failed batches")
struct RolledBackModelTests {
    private let test: TestDatabase
    private let collection: Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.database.defaultCollection()
    }

    private func failingBatch(_ block: () throws -> Void) {
        #expect(throws: NSError.self) {
            try test.database.inBatch {
                try block()
                throw CancellationError()
            }
        }
    }

    @Test("a new object saved in a failed batch is new again and can be saved")
    func new() throws {
        let box = Box(1)
        failingBatch { try collection.save(from: box) }
        #expect(box.id == nil)
        #expect(try collection.save(from: box, concurrencyControl: .failOnConflict))
    }

    @Test("an object changed in a failed batch has its previous revision and can be saved")
    func saved() throws {
        let box = Box(1, id: "a")
        try collection.save(from: box)
        failingBatch {
            box.value = 2
            try collection.save(from: box)
            try collection.delete(for: box)
        }
        #expect(try collection.save(from: box, concurrencyControl: .failOnConflict))
        failingBatch { try collection.purge(for: box) }
        #expect(try collection.save(from: box, concurrencyControl: .failOnConflict))
        #expect(try collection.document(id: "a")?.revisionID?.hasPrefix("3-") == true)
    }
}
