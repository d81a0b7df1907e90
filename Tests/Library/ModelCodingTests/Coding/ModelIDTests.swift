import DocumentStore
import Fleece
import ModelCoding
import Testing

@Suite("IDs of models")
struct ModelIDTests {
    private final class Wrapped: Codable {
        @TestID var id: String? = "a"
        var name = "x"
    }

    private struct WrappedValue: Codable {
        @TestID var id: String?
    }

    private struct Named: Codable, Identifiable {
        var id: String
    }

    private struct Unnamed: Codable {
        var name: String
    }

    /// A model that decodes the property with its ID as another one.
    private struct Stray: Codable {
        @TestID var id: String? = "other"

        init() {}

        init(from decoder: any Decoder) throws {}
    }

    private func source() throws -> TestSource { try TestSource(of: Unnamed(name: "x")) }

    @Test("the ID of a model is in its wrapper, or in the id of an Identifiable type")
    func forms() throws {
        let object = Wrapped()
        let wrapped = try ModelID(of: object, .ofTests)
        #expect(wrapped.string == "a" && wrapped.wrapper(updatedIn: object)?.sharesState(with: object.$id.identity) == true)
        let value = WrappedValue(id: "b")
        let separate = try ModelID(of: value, .ofTests)
        #expect(separate.string == "b" && separate.wrapper(updatedIn: value) == nil)
        let named = try ModelID(of: Named(id: "c"), .ofTests)
        #expect(try named.existing == "c")
        #expect(try named.base(failsOnConflict: false).text == "latest")
        #expect(throws: ModelIDError.self) { try named.base(failsOnConflict: true) }
        #expect(throws: ModelIDError.self) { try ModelID(of: Unnamed(name: "d"), .ofTests) }
        #expect(throws: StoreError.self) { try ModelID(of: WrappedValue(id: nil), .ofTests).existing }
    }

    @Test("an object whose wrapper was replaced has the new one")
    func replaced() throws {
        let object = Wrapped()
        let earlier = try ModelTypes.ofTests.wrapper(of: object)
        #expect(ModelTypes.ofTests.wrapper(of: object, after: earlier).sharesState(with: earlier))
        #expect(throws: ModelIDError.self) { try ModelTypes.ofTests.wrapper(of: Nameless()) }
    }

    private final class Nameless {}

    @Test("a decoded model has the ID and revision of its document, and a type that does not decode its ID is refused")
    func decoding() throws {
        let revision = try #require(RevisionID("1-aa"))
        let source = try source()
        let body = source.data.root
        let object = try ModelShape.of(Wrapped.self, .ofTests)
            .decode(Wrapped.self, from: body, of: source, id: "doc", revision: revision)
        #expect(object.id == "doc" && object.$id.revision == revision)
        let error = #expect(throws: ModelIDError.self) {
            try ModelShape.of(Stray.self, .ofTests).decode(Stray.self, from: body, of: source, id: "doc", revision: revision)
        }
        #expect(error?.description.hasPrefix("Document \"doc\": the type Stray does not take its ID") == true)
    }

    @Test("a copy of a model that was encoded has a wrapper of its own with the same state")
    func copying() throws {
        let revision = try #require(RevisionID("1-aa"))
        let wrapper = DocumentIdentity("doc", revision: revision)
        var value = WrappedValue(id: "other")
        let own = try ModelShape.of(WrappedValue.self, .ofTests).replace(&value, from: try source(), wrapper, EncodedCounters())
        #expect(value.id == "doc" && own.revision == revision && !own.sharesState(with: wrapper))
        var stray = Stray()
        #expect(throws: ModelIDError.self) {
            try ModelShape.of(Stray.self, .ofTests).replace(&stray, from: try source(), wrapper, EncodedCounters())
        }
        #expect(stray.id == "other")
    }
}
