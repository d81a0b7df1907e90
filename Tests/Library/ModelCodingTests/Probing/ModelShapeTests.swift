import Foundation
import ModelCoding
import Testing

@Suite("What is known about types of models")
struct ModelShapeTests {
    struct Plain: Codable, Identifiable {
        var id: String
        var name: String
    }

    struct Renamed: Codable, Identifiable {
        var id: UUID
        var name: String

        enum CodingKeys: String, CodingKey {
            case id = "key"
            case name
        }
    }

    struct Wrapped: Codable, Identifiable {
        @TestID var id: String?
        var name: String
    }

    struct Named: Codable, Identifiable {
        var isbn: String
        var id: String { isbn }
    }

    struct Combined: Codable, Identifiable {
        var first: String
        var second: String
        var id: String { first + second }
    }

    enum Setting: String, Codable, CaseIterable { case theme, language }

    struct Chosen: Codable, Identifiable {
        var id: Setting
        var value: Int
    }

    /// Accepts only texts that are no sample values.
    struct Strict: Codable, Hashable {
        let text: String

        init(from decoder: any Swift.Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
            guard text.hasPrefix("strict") else {
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not strict"))
            }
        }

        func encode(to encoder: any Swift.Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    struct Rejecting: Codable, Identifiable {
        var id: Strict
        var name: String
    }

    @Test("the key of the property that contains the ID is found")
    func idKeys() {
        #expect(ModelShape.of(Plain.self, .ofTests).idKey == "id")
        #expect(ModelShape.of(Renamed.self, .ofTests).idKey == "key")
        #expect(ModelShape.of(Chosen.self, .ofTests).idKey == "id")
        #expect(ModelShape.of(Named.self, .ofTests).idKey == "isbn")
        #expect(ModelShape.of(Rejecting.self, .ofTests).idKey == "id")
    }

    @Test("a model with a wrapper, with a combined ID or without ID has no key of an ID")
    func noIDKeys() {
        struct Anonymous: Codable { var name = "" }
        #expect(ModelShape.of(Wrapped.self, .ofTests).idKey == nil)
        #expect(ModelShape.of(Combined.self, .ofTests).idKey == nil)
        #expect(ModelShape.of(Anonymous.self, .ofTests).idKey == nil)
    }

    @Test("a type is examined only once")
    func cached() {
        #expect(ModelShape.of(Plain.self, .ofTests) === ModelShape.of(Plain.self, .ofTests))
    }
}
