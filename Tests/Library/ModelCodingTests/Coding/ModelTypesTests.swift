import DocumentStore
import Fleece
import Foundation
import ModelCoding
import Testing

@Suite("Coding of blobs and document IDs")
struct ModelTypesTests {
    struct Model: Codable {
        @TestID var id: String? = "new"
        var name = "Ann"
        var picture: TestBlob?
        var pictures: [TestBlob] = []
    }

    struct Single: Codable {
        var blob: TestBlob

        init(_ blob: TestBlob) { self.blob = blob }
        init(from decoder: any Swift.Decoder) throws { blob = try TestBlob(from: decoder) }
        func encode(to encoder: any Swift.Encoder) throws { try blob.encode(to: encoder) }
    }

    private func encoded(_ object: some Encodable, blobs: TestBlobs = TestBlobs()) throws -> TestSource {
        // The body lies in the memory of its encoder.
        let bodyEncoder = BodyEncoder()
        defer { withExtendedLifetime(bodyEncoder) {} }
        let body = try ModelEncoding.encode(object, with: bodyEncoder, types: .ofTests, blobs: blobs)
        let bytes = try #require(
            body.withRoot { root, keys -> [UInt8]? in
                var encoder = Fleece.Encoder()
                encoder.write(root, keys: .other(keys))
                return try Array(encoder.finish())
            }
        )
        return TestSource(data: FleeceData(bytes), sharedKeys: .empty)
    }

    private func decoded<T: Decodable>(_ type: T.Type, _ source: TestSource) throws -> T {
        let identity = ModelIdentity(id: "doc", revision: try #require(RevisionID("1-aa")))
        return try ModelDecoding(source, types: .ofTests, identity: identity).decode(type, from: source.data.root)
    }

    private let blobs = (0..<3).map { TestBlob(contentType: "text/\($0)", data: Data("content \($0)".utf8)) }

    @Test("blobs are written and created by the given types, also in arrays")
    func coding() throws {
        let writer = TestBlobs()
        let source = try encoded(Model(picture: blobs[0], pictures: Array(blobs[1...])), blobs: writer)
        #expect(writer.written == blobs)
        let model = try decoded(Model.self, source)
        #expect(model.picture == blobs[0])
        #expect(model.pictures == Array(blobs[1...]))
    }

    @Test("the ID of a document is not a property of it, and is taken from the document")
    func identity() throws {
        let source = try encoded(Model())
        #expect(source.data.root?.dictionary?.value(for: "id", sharedKeys: .empty) == nil)
        let model = try decoded(Model.self, source)
        #expect(model.id == "doc")
        #expect(model.$id.revision == RevisionID("1-aa"))
    }

    @Test("a type may encode and decode a blob as its only value")
    func singleBlob() throws {
        let source = try encoded(["only": Single(blobs[0])])
        #expect(try decoded([String: Single].self, source)["only"]?.blob == blobs[0])
        #expect(throws: CocoaError.self) { try JSONEncoder().encode(Single(blobs[0])) }
        #expect(throws: CocoaError.self) { try JSONDecoder().decode(Single.self, from: Data("{}".utf8)) }
    }

    @Test("a dictionary that is not a blob is refused where a blob is expected")
    func noBlob() throws {
        let source = try encoded(["picture": ["content_type": "text/plain"]])
        let error = #expect(throws: DecodingError.self) { try decoded([String: TestBlob].self, source) }
        #expect(error?.modelMessage == "The object cannot be decoded at picture: a dictionary instead of a blob")
    }
}
