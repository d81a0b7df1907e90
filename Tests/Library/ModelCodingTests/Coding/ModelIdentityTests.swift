import DocumentStore
import Fleece
import Foundation
import ModelCoding
import Testing

@Suite("IDs of models without a wrapper")
struct ModelIdentityTests {
    struct Book: Codable, Identifiable, Equatable {
        var id: String
        var title: String?
        var pages = 1
    }

    struct Device: Codable, Identifiable, Equatable {
        var id: UUID
        var parent: UUID?
    }

    enum Setting: String, Codable, CaseIterable { case theme, language }

    struct Name: Codable, Hashable {
        let text: String

        init(_ text: String) { self.text = text }
        init(from decoder: any Swift.Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
        func encode(to encoder: any Swift.Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    @Test("the property of the ID is not encoded, and is decoded from the ID of the document")
    func omitted() throws {
        let book = Book(id: "short", title: "T", pages: 7)
        let source = try TestSource(of: book, omitting: "id")
        #expect(source.data.root?.dictionary?.value(for: "id", sharedKeys: .empty) == nil)
        #expect(source.data.root?.dictionary?.count == 2)
        #expect(try source.decoded(Book.self, id: "a longer ID, not in one slot", idKey: "id").id == "a longer ID, not in one slot")
        #expect(try source.decoded(Book.self, id: "", idKey: "id") == Book(id: "", title: "T", pages: 7))
        #expect(try source.decoded(Book.self, id: "é", idKey: "id").title == "T")
    }

    @Test("an ID of another type is decoded from the ID of the document, and refused if it is none")
    func otherTypes() throws {
        let device = Device(id: UUID(), parent: UUID())
        let source = try TestSource(of: device, omitting: "id")
        #expect(try source.decoded(Device.self, id: device.id.uuidString, idKey: "id") == device)
        #expect(throws: DecodingError.self) { try source.decoded(Device.self, id: "no UUID", idKey: "id") }
    }

    @Test("a stored property with the key of the ID is not decoded")
    func hidden() throws {
        let source = try TestSource(of: Book(id: "stored"))
        #expect(try source.decoded(Book.self, id: "document", idKey: "id").id == "document")
        #expect(try source.decoded(Book.self, id: "document").id == "stored")
    }

    @Test("only the model itself is identified, not a model within it")
    func nested() throws {
        struct Shelf: Codable, Identifiable {
            var id: String
            var first: Book
        }
        let source = try TestSource(of: Shelf(id: "shelf", first: Book(id: "book")), omitting: "id")
        let shelf = try source.decoded(Shelf.self, id: "shelf", idKey: "id")
        #expect(shelf.id == "shelf" && shelf.first.id == "book")
    }

    @Test("the list of keys of a model contains the key of its ID once")
    func allKeys() throws {
        struct Keys: Decodable {
            let names: [String]

            enum CodingKeys: String, CodingKey { case id, title, pages }

            init(from decoder: any Swift.Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                names = container.allKeys.map(\.rawValue).sorted()
            }
        }
        let book = Book(id: "a", title: "T")
        #expect(try TestSource(of: book, omitting: "id").decoded(Keys.self, idKey: "id").names == ["id", "pages", "title"])
        #expect(try TestSource(of: book).decoded(Keys.self, idKey: "id").names == ["id", "pages", "title"])
    }

    @Test("an ID that is encoded as a string becomes the ID of a document")
    func documentIDs() throws {
        let uuid = UUID()
        #expect(try ModelEncoding.documentID("a", types: .ofTests) == "a")
        #expect(try ModelEncoding.documentID(Optional("a") as Any, types: .ofTests) == "a")
        #expect(try ModelEncoding.documentID(uuid, types: .ofTests) == uuid.uuidString)
        #expect(try ModelEncoding.documentID(Setting.language, types: .ofTests) == "language")
        #expect(try ModelEncoding.documentID(Name("n"), types: .ofTests) == "n")
    }

    @Test("an ID that is not encoded as a string is refused, and the message says why")
    func refusedIDs() throws {
        for id in [1, ["a"], ["a": "b"], String?.none as Any, ObjectIdentifier(TestBlobs.self)] as [Any] {
            let error = #expect(throws: EncodingError.self) { try ModelEncoding.documentID(id, types: .ofTests) }
            #expect(error?.modelMessage == "The object cannot be encoded at id: the ID of a document must be encoded as a string")
        }
    }
}
