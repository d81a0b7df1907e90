import DocumentStore
import Fleece
import Foundation
import ModelCoding
import QueryLanguage

/// A blob whose content is a part of the document.
struct TestBlob: ModelBlob, Codable, Equatable {
    var contentType: String
    var data: Data

    init(contentType: String, data: Data) {
        self.contentType = contentType
        self.data = data
    }

    init(from decoder: any Swift.Decoder) throws {
        guard let (source, value) = try ModelDecoding.blob(from: decoder), let blob = source.makeBlob(for: value) as? TestBlob
        else { throw CocoaError(.coderInvalidValue) }
        self = blob
    }

    func encode(to encoder: any Swift.Encoder) throws {
        guard try ModelEncoding.write(blob: self, to: encoder) else { throw CocoaError(.coderInvalidValue) }
    }
}

@propertyWrapper
final class TestID: ModelDocumentID, Codable {
    let identity: DocumentIdentity
    var wrappedValue: String? { identity.id }
    var revision: RevisionID? { identity.revision }
    var projectedValue: TestID { self }

    init(_ identity: DocumentIdentity) { self.identity = identity }

    convenience init(wrappedValue: String?) { self.init(DocumentIdentity(wrappedValue)) }

    convenience init(from decoder: any Swift.Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(String?.self))
    }

    func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

protocol KeyProviding {
    static var documentKeys: [AnyKeyPath: String] { get }
}

protocol DefaultedType: Encodable {
    static var defaultValue: Self { get }
}

protocol RenamedType {
    static var formerKeys: [String: [String]] { get }
}

struct TestSource: ModelSource {
    let data: FleeceData
    let sharedKeys: SharedKeys

    func isBlob(_ value: Value) -> Bool {
        value.dictionary.map { BlobDictionary.isBlob($0, sharedKeys: sharedKeys) } ?? false
    }

    func makeBlob(for value: Value) -> any ModelBlob {
        func property(_ key: String) -> Value? { value.dictionary?.value(for: key, sharedKeys: sharedKeys) }
        return TestBlob(
            contentType: property(BlobDictionary.contentTypeKey)?.string ?? "",
            data: Data(property(BlobDictionary.dataKey)?.string?.utf8 ?? "".utf8)
        )
    }
}

/// Writes each blob with its content.
final class TestBlobs: BlobWriting {
    private(set) var written: [TestBlob] = []

    func write(_ blob: Any, into encoder: inout Fleece.Encoder) throws {
        guard let blob = blob as? TestBlob else { return }
        written.append(blob)
        encoder.beginDictionary()
        for (key, value) in [
            (BlobDictionary.typeKey, BlobDictionary.typeValue), (BlobDictionary.dataKey, String(decoding: blob.data, as: UTF8.self)),
            (BlobDictionary.contentTypeKey, blob.contentType),
        ] {
            encoder.writeKey(key)
            encoder.write(value)
        }
        encoder.endDictionary()
    }
}

struct RefusedBlobs: BlobWriting {
    func write(_ blob: Any, into encoder: inout Fleece.Encoder) throws {
        throw QueryError.unsupportedPredicate("a blob cannot be compared")
    }
}

extension ModelTypes {
    static let ofTests = ModelTypes(
        blob: TestBlob.self,
        documentID: TestID.self,
        wrapper: { wrappers.property(of: $0)?.identity },
        constantBlobs: RefusedBlobs(),
        documentKeys: { type in (type as? any KeyProviding.Type)?.documentKeys },
        defaultValue: { type in (type as? any DefaultedType.Type)?.defaultValue },
        formerKeys: { type in (type as? any RenamedType.Type)?.formerKeys.map { ($0.key, $0.value) } ?? [] }
    )

    private static let wrappers = PropertyFinder<TestID>()
}

extension DocumentSave.Base {
    var text: String {
        switch self {
        case .none: "none"
        case .latest: "latest"
        case .latestKnowing(let revision): "latest, knowing \(revision)"
        case .revision(let revision): "revision \(revision)"
        }
    }
}

extension SelectStatement {
    init<Model: Decodable>(where predicate: Predicate<Model>) throws {
        let path = CollectionPath(scope: "_default", name: "_default")
        self = try ModelSelection(.predicate(predicate)).query(of: path, .ofTests)
    }
}

extension TestSource {
    /// The body that an object encodes, without shared keys.
    init(of object: some Encodable, omitting idKey: String? = nil) throws {
        // The body lies in the memory of its encoder.
        let bodyEncoder = BodyEncoder()
        defer { withExtendedLifetime(bodyEncoder) {} }
        let body = try ModelEncoding.encode(object, with: bodyEncoder, types: .ofTests, blobs: TestBlobs(), omitting: idKey)
        var encoder = Fleece.Encoder()
        let isWritten: Bool? = body.withRoot { root, keys in
            encoder.write(root, keys: .other(keys))
            return true
        }
        guard isWritten == true else { throw CocoaError(.coderInvalidValue) }
        self.init(data: try encoder.finishedData(), sharedKeys: .empty)
    }

    /// Decodes the body of a document.
    func decoded<T: Decodable>(_ type: T.Type, id: String = "doc", idKey: String? = nil) throws -> T {
        guard let revision = RevisionID("1-aa") else { throw CocoaError(.coderInvalidValue) }
        let identity = ModelIdentity(id: id, revision: revision, key: idKey)
        return try ModelDecoding(self, types: .ofTests, identity: identity).decode(type, from: data.root)
    }
}
