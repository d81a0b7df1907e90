import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Conflicts between copies of values")
struct ModelConflictTests {
    let test: TestDatabase
    let collection: Collection
    let notes: ModelCollection<Note>

    init() throws {
        test = try TestDatabase()
        collection = try test.database.defaultCollection()
        notes = collection.models()
    }

    @Test("a copy does not learn of the revision that another copy has saved")
    func copies() throws {
        var first = try notes.save(Note(id: "a", title: "A"))
        var second = first
        first.title = "first"
        var isSaved = try notes.save(&first, concurrencyControl: .failOnConflict)
        #expect(isSaved)
        second.title = "second"
        isSaved = try notes.save(&second, concurrencyControl: .failOnConflict)
        #expect(!isSaved)
        #expect(second.title == "second")
        #expect(try notes.get("a")?.title == "first")
        isSaved = try notes.save(&second, concurrencyControl: .lastWriteWins)
        #expect(isSaved)
        #expect(try notes.get("a")?.title == "second")
        #expect(try notes.save(first, concurrencyControl: .failOnConflict) == nil)
        #expect(try notes.save(second, concurrencyControl: .failOnConflict)?.title == "second")
    }

    @Test("a copy of a value that was not saved conflicts with the document of the other copy")
    func newCopies() throws {
        let first = Note(id: "a", title: "first")
        let second = first
        #expect(try notes.save(first, concurrencyControl: .failOnConflict) != nil)
        #expect(try notes.save(second, concurrencyControl: .failOnConflict) == nil)
        #expect(try notes.save(first, concurrencyControl: .failOnConflict) == nil)
    }

    @Test("a value is deleted despite a concurrent change only if that is allowed")
    func deleting() throws {
        let old = try notes.save(Note(id: "a", title: "A"))
        let new = try notes.save(old)
        #expect(try !notes.delete(old, concurrencyControl: .failOnConflict))
        #expect(try notes.get("a") != nil)
        #expect(try notes.delete(new, concurrencyControl: .failOnConflict))
        #expect(try notes.get("a") == nil)
        #expect(try !notes.delete(new, concurrencyControl: .failOnConflict))
        #expect(try notes.save(new, concurrencyControl: .failOnConflict) == nil)
        try notes.save(new)
        try notes.delete(old)
        #expect(try notes.get("a") == nil)
    }

    @Test("a conflict handler gets both values and may merge them")
    func handler() throws {
        var mine = try notes.save(Note(id: "a", title: "A"))
        var theirs = mine
        theirs.visits = 5
        try notes.save(&theirs)
        mine.title = "B"
        var calls = 0
        let isSaved = try notes.save(&mine) { mine, stored in
            calls += 1
            #expect(mine.title == "B")
            #expect(stored?.visits == theirs.visits)
            if calls == 1 {
                // Another writer saves first once more.
                theirs.visits = 6
                try notes.save(&theirs)
            }
            mine.visits = stored?.visits ?? 0
            return true
        }
        #expect(isSaved && calls == 2)
        #expect(mine.visits == 6 && mine.title == "B")
        #expect(try notes.get("a") == mine)
        let again = try notes.save(&mine, concurrencyControl: .failOnConflict)
        #expect(again)
    }

    @Test("a value is not changed if its conflict handler gives up or throws")
    func refusedHandler() throws {
        struct Stop: Error {}
        var mine = try notes.save(Note(id: "a", title: "A"))
        try notes.save(Note(id: "a", title: "theirs"))
        let isSaved = try notes.save(&mine) { mine, _ in
            mine.title = "merged"
            return false
        }
        #expect(!isSaved && mine.title == "A")
        #expect(throws: Stop.self) { try notes.save(mine) { _, _ in throw Stop() } }
        #expect(try notes.save(mine) { _, _ in false } == nil)
        #expect(try notes.get("a")?.title == "theirs")
    }

    @Test("a conflict handler may take the stored value")
    func takenValue() throws {
        let mine = try notes.save(Note(id: "a", title: "A"))
        try notes.save(Note(id: "a", title: "theirs"))
        let saved = try notes.save(mine) { mine, stored in
            if let stored { mine = stored }
            return true
        }
        #expect(saved?.title == "theirs")
    }

    @Test("a conflict handler gets nil for a deleted document, and a purged document throws notFound")
    func conflictWithDeletion() throws {
        let mine = try notes.save(Note(id: "a", title: "A"))
        try notes.delete(mine)
        let saved = try notes.save(mine) { _, stored in stored == nil }
        #expect(saved != nil)
        try notes.purge(mine)
        #expect(thrown { _ = try notes.save(mine) { _, _ in true } } == .notFound)
    }

    @Test("a conflict with a document of another form throws a decoding error")
    func conflictWithOtherDocument() throws {
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "title"))
        #expect(thrown { _ = try notes.save(Note(id: "a", title: "A")) { _, _ in true } } == .decoding)
    }

    // MARK: Batches

    private func failingBatch(_ block: () throws -> Void) {
        #expect(throws: CancellationError.self) {
            try test.database.batch {
                try block()
                throw CancellationError()
            }
        }
    }

    @Test("a value saved in a batch that is rolled back has no revision and can be saved")
    func rolledBackNew() throws {
        var note = Note(title: "A")
        failingBatch {
            try notes.save(&note)
            #expect(note.id != nil)
            try notes.save(&note)
        }
        #expect(note.id == nil)
        let isSaved = try notes.save(&note, concurrencyControl: .failOnConflict)
        #expect(isSaved && collection.count == 1)
    }

    @Test("a value changed in a batch that is rolled back has its previous revision and can be saved")
    func rolledBackChange() throws {
        var note = try notes.save(Note(id: "a", title: "A"))
        failingBatch {
            note.title = "B"
            try notes.save(&note)
            let copy = try notes.save(note)
            try notes.delete(copy)
        }
        #expect(try notes.get("a")?.title == "A")
        let isSaved = try notes.save(&note, concurrencyControl: .failOnConflict)
        #expect(isSaved)
        #expect(try notes.get("a")?.title == "B")
        #expect(try collection.document(id: "a")?.revisionID?.hasPrefix("2-") == true)
    }
}
