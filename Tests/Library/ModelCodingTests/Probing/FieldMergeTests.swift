import Fleece
import Foundation
import ModelCoding
import Testing

@Suite("Combining models with properties that they do not have")
struct FieldMergeTests {
    /// Returns the body of `model` with what is kept of `stored`; `nil` if nothing is kept.
    private func combined<Model: Codable>(_ model: Model, with stored: some Encodable) throws -> TestSource? {
        let stored = try TestSource(of: stored)
        let encoded = try TestSource(of: model, omitting: ModelShape.of(Model.self, .ofTests).idKey)
        defer { withExtendedLifetime((stored, encoded)) {} }
        let old = try #require(stored.data.root?.dictionary)
        let new = try #require(encoded.data.root?.dictionary)
        var merge = FieldMerge(
            ModelShape.of(Model.self, .ofTests),
            encodedKeys: .empty,
            stored: stored.data,
            storedKeys: .empty
        )
        guard merge.keepsAnything(of: old, beside: new) else { return nil }
        var encoder = Fleece.Encoder()
        merge.write(new, keepingFrom: old, to: &encoder)
        return TestSource(data: try encoder.finishedData(), sharedKeys: .empty)
    }

    struct Address: Codable, Equatable {
        var city: String?
        var zip: Int?
    }

    struct NewAddress: Codable, Equatable {
        var city: String?
        var zip: Int?
        var country: String?
    }

    struct Person: Codable, Equatable {
        var name: String
        var nickname: String?
        var address: Address?
        var tags: [Address] = []
        var limits: [String: Int] = [:]
    }

    struct NewPerson: Codable, Equatable {
        var name: String
        var nickname: String?
        var address: NewAddress?
        var tags: [NewAddress] = []
        var limits: [String: Int] = [:]
        var email: String?
    }

    @Test("keys that the type does not have are kept, also in structures within it")
    func kept() throws {
        let stored = NewPerson(name: "Old", address: NewAddress(city: "A", zip: 1, country: "FR"), email: "a@b")
        let source = try combined(Person(name: "New", address: Address(city: "B", zip: 2)), with: stored)
        let result = try #require(try source?.decoded(NewPerson.self))
        #expect(result == NewPerson(name: "New", address: NewAddress(city: "B", zip: 2, country: "FR"), email: "a@b"))
    }

    @Test("keys that the type has and did not encode are removed, also in structures within it")
    func removed() throws {
        let stored = NewPerson(name: "Old", nickname: "O", address: NewAddress(city: "A", zip: 1, country: "FR"), email: "a@b")
        let source = try combined(Person(name: "New", address: Address(city: "A")), with: stored)
        #expect(try source?.decoded(NewPerson.self) == NewPerson(name: "New", address: NewAddress(city: "A", country: "FR"), email: "a@b"))
        let without = try combined(Person(name: "New"), with: stored)
        #expect(try without?.decoded(NewPerson.self) == NewPerson(name: "New", email: "a@b"))
    }

    @Test("arrays and dictionaries are replaced as a whole")
    func replaced() throws {
        let stored = NewPerson(name: "Old", tags: [NewAddress(country: "FR")], limits: ["a": 1, "b": 2], email: "a@b")
        let source = try combined(Person(name: "New", tags: [Address(city: "B")], limits: ["c": 3]), with: stored)
        let result = try #require(try source?.decoded(NewPerson.self))
        #expect(result == NewPerson(name: "New", tags: [NewAddress(city: "B")], limits: ["c": 3], email: "a@b"))
    }

    @Test("nothing is kept of a document that has only keys of the type")
    func nothing() throws {
        let stored = Person(name: "Old", nickname: "O", address: Address(city: "A", zip: 1), limits: ["a": 1])
        #expect(try combined(Person(name: "New"), with: stored) == nil)
        #expect(try combined(Person(name: "New", address: Address()), with: stored) == nil)
    }

    struct Node: Codable {
        final class Link: Codable {
            var value: Node

            init(_ value: Node) { self.value = value }
            init(from decoder: any Swift.Decoder) throws { value = try Node(from: decoder) }
            func encode(to encoder: any Swift.Encoder) throws { try value.encode(to: encoder) }
        }

        var name: String
        var extra: String?
        var next: Link?
    }

    struct OldNode: Codable {
        final class Link: Codable {
            var value: OldNode

            init(_ value: OldNode) { self.value = value }
            init(from decoder: any Swift.Decoder) throws { value = try decoder.singleValueContainer().decode(OldNode.self) }
            func encode(to encoder: any Swift.Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }

        var name: String
        var next: Link?
    }

    @Test("keys are kept at every depth of a type that contains itself")
    func recursive() throws {
        var stored = Node(name: "0", extra: "extra 0")
        var changed = OldNode(name: "new 0")
        for depth in 1...12 {
            stored = Node(name: "\(depth)", extra: "extra \(depth)", next: .init(stored))
            changed = OldNode(name: "new \(depth)", next: .init(changed))
        }
        var node = try combined(changed, with: stored)?.decoded(Node.self)
        for depth in (0...12).reversed() {
            #expect(node?.name == "new \(depth)")
            #expect(node?.extra == "extra \(depth)")
            node = node?.next?.value
        }
        #expect(node == nil)
    }

    @Test("the keys of a type that rejects sample values are those of its coding keys")
    func rejecting() throws {
        struct Stored: Codable, Equatable {
            var id: String?
            var name: String?
            var note: String?
        }
        struct Model: Codable {
            var name: String?
            var note: String?

            enum CodingKeys: CodingKey { case name, note }

            init(name: String?) { self.name = name }

            init(from decoder: any Swift.Decoder) throws {
                _ = try decoder.container(keyedBy: CodingKeys.self)
                throw CocoaError(.coderInvalidValue)
            }
        }
        let source = try combined(Model(name: "N"), with: Stored(id: "i", name: "O", note: "n"))
        #expect(try source?.decoded(Stored.self) == Stored(id: "i", name: "N"))
    }

    @Test("all keys are kept that a type did not encode whose keys cannot be found")
    func unknown() throws {
        struct Model: Codable {
            var name: String

            init(name: String) { self.name = name }
            init(from decoder: any Swift.Decoder) throws { throw CocoaError(.coderInvalidValue) }
        }
        let source = try combined(Model(name: "N"), with: ["name": "O", "other": "x"])
        #expect(try source?.decoded([String: String].self) == ["name": "N", "other": "x"])
    }

    @Test("nothing is kept of a document that a type reads completely")
    func everything() throws {
        #expect(try combined(["a": 1], with: ["b": 2]) == nil)
    }

    @Test("a stored property with the key of the document's ID is kept, because the model does not store it")
    func identifiers() throws {
        struct Wrapped: Codable {
            @TestID var id: String?
            var name = "N"
        }
        struct Plain: Codable, Identifiable {
            var id: String
            var name = "N"
        }
        for source in [
            try combined(Wrapped(), with: ["id": "stored", "name": "O"]),
            try combined(Plain(id: "a"), with: ["id": "stored", "name": "O"]),
        ] {
            #expect(try source?.decoded([String: String].self) == ["id": "stored", "name": "N"])
        }
    }

    @Test("a blob is replaced, not combined")
    func blobs() throws {
        struct Stored: Codable {
            var picture: TestBlob?
            var other = "x"
        }
        struct Model: Codable { var picture: TestBlob? }
        let blobs = (0..<2).map { TestBlob(contentType: "text/\($0)", data: Data("\($0)".utf8)) }
        let source = try combined(Model(picture: blobs[1]), with: Stored(picture: blobs[0]))
        let result = try #require(try source?.decoded(Stored.self))
        #expect(result.picture == blobs[1] && result.other == "x")
    }
}
