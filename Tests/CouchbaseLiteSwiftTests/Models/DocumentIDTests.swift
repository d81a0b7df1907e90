import DocumentStore
import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("IDs of models as values")
struct DocumentIDTests {
    private let revision = RevisionID("1-aa")

    @Test("setting the ID of a copy does not change the original")
    func copyOnWrite() {
        var first = DocumentID(wrappedValue: "a")
        var second = first
        second.wrappedValue = "b"
        #expect(first.wrappedValue == "a" && second.wrappedValue == "b")
        first.wrappedValue = nil
        #expect(first.wrappedValue == nil && second.wrappedValue == "b")
    }

    @Test("a separated ID has the same state, and does not get a revision with the original")
    func separated() throws {
        let first = DocumentID("a", revision: try #require(revision))
        let second = first.separated()
        #expect(second.wrappedValue == "a" && second.revision == revision)
        #expect(!second.sharesState(with: first) && first.sharesState(with: first))
        let next = try #require(RevisionID("2-bb"))
        second.stands(for: "a", next)
        #expect(first.revision == revision && second.revision == next)
    }

    @Test("IDs are equal if their bytes are, whatever their revisions")
    func equality() throws {
        #expect(DocumentID(wrappedValue: "a") == DocumentID("a", revision: try #require(revision)))
        #expect(DocumentID(wrappedValue: nil) == DocumentID(wrappedValue: nil))
        #expect(DocumentID(wrappedValue: nil) != DocumentID(wrappedValue: ""))
        #expect(DocumentID(wrappedValue: "\u{E9}") != DocumentID(wrappedValue: "e\u{301}"))
        let set: Set = [
            DocumentID(wrappedValue: "a"), DocumentID("a", revision: try #require(revision)), DocumentID(wrappedValue: nil),
        ]
        #expect(set.count == 2)
    }

    @Test("an object whose ID is set while it is saved gets the ID and revision of its document")
    func setDuringSave() throws {
        final class Restless: Codable {
            @DocumentID var id: String?
            var name = "x"

            init() {}

            func encode(to encoder: any Encoder) throws {
                if id == nil { id = "other" }
                var container = encoder.container(keyedBy: AnyKey.self)
                try container.encode(name, forKey: "name")
            }
        }
        let test = try TestDatabase()
        let collection = try test.database.defaultCollection()
        let object = Restless()
        try collection.save(from: object)
        let id = try #require(object.id)
        #expect(id != "other")
        #expect(try collection.document(id: id)?.string(forKey: "name") == "x")
        #expect(try collection.save(from: object, concurrencyControl: .failOnConflict))
    }

    @Test("a wrapper can be used by several threads at once")
    func threads() throws {
        let shared = DocumentID(wrappedValue: "a")
        let next = try #require(RevisionID("2-bb"))
        DispatchQueue.concurrentPerform(iterations: 100) { number in
            var copy = shared
            if number.isMultiple(of: 2) {
                copy.wrappedValue = "\(number)"
                if copy.wrappedValue != "\(number)" { Issue.record("the ID of a copy was changed by another thread") }
            } else {
                copy.separated().stands(for: "b", next)
            }
        }
        #expect(shared.wrappedValue == "a" && shared.revision == nil)
    }
}
