import Base
package import DocumentStore
import Fleece
import Foundation

/// The document that a model is decoded from.
package struct ModelIdentity {
    private enum Source {
        case document(id: String, revision: RevisionID)
        /// The state of the wrapper that the model gets.
        case wrapper(DocumentIdentity)
    }

    private let source: Source
    /// The key for which the model gets the ID of the document; `nil` if there is none.
    let key: String?

    /// The identity of a stored document.
    ///
    /// - Parameter key: The key under which the model decodes the ID; `nil`, the default, if it has a property wrapper for it.
    package init(id: String, revision: RevisionID, key: String? = nil) {
        source = .document(id: id, revision: revision)
        self.key = key
    }

    /// The identity that a model has in its property wrapper.
    package init(_ identity: DocumentIdentity) {
        source = .wrapper(identity)
        key = nil
    }

    /// The state of the wrapper that the model gets. A new one each time for a model that is read from a document.
    var wrapped: DocumentIdentity {
        switch source {
        case .document(let id, let revision): DocumentIdentity(id, revision: revision)
        case .wrapper(let identity): identity
        }
    }

    /// The ID as a value that can be decoded, for ``key``.
    var encodedID: FleeceData? {
        guard key != nil, case .document(let id, _) = source else { return nil }
        var encoder = Encoder()
        encoder.write(id)
        return try? encoder.finishedData()
    }
}

extension ModelEncoding {
    /// Returns the ID of a document for the `id` of a model.
    ///
    /// - Throws: `EncodingError` if it is not encoded as a string.
    package static func documentID(_ id: Any, types: ModelTypes) throws -> String {
        if let string = id as? String { return string }
        if let uuid = id as? UUID { return uuid.uuidString }
        if let id = id as? any Encodable, let string = try Self.string(id, types) { return string }
        throw EncodingError.refusal(id, at: [IDKey.id], "the ID of a document must be encoded as a string")
    }

    private static func string(_ id: some Encodable, _ types: ModelTypes) throws -> String? {
        let encoder = BodyEncoder()
        // The encoded body lies in the memory of the encoder.
        return try withExtendedLifetime(encoder) {
            let body = try encode(IDContainer(id: id), with: encoder, types: types, blobs: types.constantBlobs)
            return body.withRoot { root, keys in root.dictionary?.value(for: IDKey.id.stringValue, sharedKeys: keys)?.string }
        }
    }

    private enum IDKey: String, CodingKey { case id }

    private struct IDContainer<ID: Encodable>: Encodable {
        let id: ID
    }
}

/// Encodes the properties of a model without the one that represents the ID of the document.
struct IdentifiedEncoding<Key: CodingKey>: KeyedValueEncoding {
    let encoder: ValueEncoder
    let idKey: String

    private func isID(_ key: Key) -> Bool { key.stringValue.isExactly(idKey) }

    func encodeNil(forKey key: Key) throws {
        if !isID(key) { try KeyedEncoding<Key>(encoder: encoder).encodeNil(forKey: key) }
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if !isID(key) { try KeyedEncoding<Key>(encoder: encoder).encode(value, forKey: key) }
    }
}
