import DocumentStore
import Foundation
import ModelCoding
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

    @Test("IDs are equal if their bytes are, whatever their revisions")
    func equality() {
        let read = DocumentID(DocumentIdentity("a", revision: revision))
        #expect(DocumentID(wrappedValue: "a") == read)
        #expect(DocumentID(wrappedValue: nil) == DocumentID(wrappedValue: nil))
        #expect(DocumentID(wrappedValue: nil) != DocumentID(wrappedValue: ""))
        #expect(DocumentID(wrappedValue: "\u{E9}") != DocumentID(wrappedValue: "e\u{301}"))
        let set: Set = [DocumentID(wrappedValue: "a"), read, DocumentID(wrappedValue: nil)]
        #expect(set.count == 2)
    }

    @Test("a printed ID is its text, and a printed model shows the ID")
    func printing() throws {
        struct Recipe: Codable {
            @DocumentID var id: String?
            var title: String
        }
        #expect("\(DocumentID(wrappedValue: "a"))" == "a" && "\(DocumentID(wrappedValue: nil))" == "nil")
        #expect(String(reflecting: DocumentID(wrappedValue: "a\"")) == #""a\"""#)
        #expect(String(reflecting: DocumentID(wrappedValue: nil)) == "nil")
        #expect("\(Recipe(id: "soup", title: "Soup"))" == #"Recipe(_id: "soup", title: "Soup")"#)
        #expect("\(Recipe(title: "Soup"))" == #"Recipe(_id: nil, title: "Soup")"#)
        let test = try TestDatabase()
        let read = try test.database.defaultCollection().models(Recipe.self).save(Recipe(id: "soup", title: "Soup"))
        #expect("\(read)" == #"Recipe(_id: "soup", title: "Soup")"#)
        var dumped = ""
        dump(read, to: &dumped)
        #expect(dumped.contains(#"- _id: "soup""#) && !dumped.contains("identity"))
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
}
