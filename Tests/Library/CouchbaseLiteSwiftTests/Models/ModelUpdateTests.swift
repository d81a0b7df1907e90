import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Changes of all values that satisfy a condition")
struct ModelUpdateTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection
    let notes: ModelCollection<Note>

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.createCollection(name: "notes")
        notes = collection.models()
        try database.batch { [notes] in
            for number in 0..<20 { try notes.save(Note(id: "\(number)", title: number < 10 ? "A" : "B", visits: number)) }
        }
    }

    @Test("an update changes each value that satisfies the condition once")
    func update() throws {
        let count = try notes.query(where: #Predicate { $0.visits < 10 }).update { note in
            note.visits += 5
            note.text = "changed"
        }
        #expect(count == 10)
        #expect(try notes.get("9")?.visits == 14)
        #expect(try notes.get("10")?.text == nil)
        #expect(try notes.query(where: #Predicate { $0.text == "changed" }).count() == 10)
        #expect(try collection.document(id: "9")?.revisionID?.hasPrefix("2-") == true)
        #expect(try notes.update { $0.visits = 0 } == 20)
        #expect(try notes.query(where: #Predicate { $0.visits == 1 }).update { $0.visits = 2 } == 0)
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("an update keeps properties that the type does not have")
    func unknownFields() throws {
        let document = try #require(try collection.document(id: "1")?.toMutable())
        try collection.save(document: document.setString("x", forKey: "extra"))
        #expect(try notes.query(where: #Predicate { $0.id == "1" }).update { $0.title = "C" } == 1)
        #expect(try collection.document(id: "1")?.string(forKey: "extra") == "x")
        #expect(try notes.get("1")?.title == "C")
    }

    @Test("an error of the closure is thrown as it is, and nothing is changed")
    func failedUpdate() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try notes.update { note in
                if note.visits == 15 { throw Stop() }
                note.title = "C"
            }
        }
        #expect(try notes.query(where: #Predicate { $0.title == "C" }).count() == 0)
    }

    @Test("in a batch, an error undoes only the changes of the failed update")
    func failedUpdateInBatch() throws {
        struct Stop: Error {}
        try database.batch {
            let count = try notes.query(where: #Predicate { $0.visits < 5 }).update { $0.title = "C" }
            #expect(count == 5)
            #expect(throws: Stop.self) {
                try notes.update { note in
                    note.title = "D"
                    if note.visits == 15 { throw Stop() }
                }
            }
        }
        #expect(try notes.query(where: #Predicate { $0.title == "C" }).count() == 5)
        #expect(try notes.query(where: #Predicate { $0.title == "D" }).count() == 0)
    }

    @Test("a document that cannot be decoded makes the update fail as a whole")
    func undecodable() throws {
        try collection.save(document: MutableDocument(id: "x").setInt(1, forKey: "title"))
        #expect(thrown { try notes.update { $0.title = "C" } } == .decoding)
        #expect(try notes.query(where: #Predicate { $0.title == "C" }).count() == 0)
    }

    @Test("an update cannot change an ID, or a document that the closure changes itself")
    func refusedUpdates() throws {
        struct Entry: Codable, Identifiable {
            var id: String
            var title: String
        }
        let entries = collection.models(Entry.self)
        #expect(thrown { try entries.query(where: #Predicate { $0.id == "1" }).update { $0.id = "new" } } == .invalidParameter)
        #expect(try notes.get("new") == nil)
        let error = thrown {
            try notes.query(where: #Predicate { $0.id == "1" }).update { note in
                try notes.save(Note(id: "1", title: "other"))
                note.title = "mine"
            }
        }
        #expect(error == .couchbaseLite(CBLError.conflict))
        #expect(try notes.get("1")?.title == "A")
    }

    @Test("values that satisfy a condition are deleted together")
    func delete() throws {
        #expect(try notes.query(where: #Predicate { $0.title == "A" && $0.visits > 2 }).delete() == 7)
        #expect(try notes.query().count() == 13)
        #expect(try notes.get("3") == nil)
        #expect(try notes.get("2") != nil)
        #expect(try notes.query(where: #Predicate { $0.title == "none" }).delete() == 0)
        #expect(throws: CancellationError.self) {
            try database.batch {
                #expect(try notes.query(where: #Predicate { $0.visits >= 0 }).delete() == 13)
                throw CancellationError()
            }
        }
        #expect(try notes.query().count() == 13)
        try database.close()
        #expect(try folder.problems() == [])
    }
}
