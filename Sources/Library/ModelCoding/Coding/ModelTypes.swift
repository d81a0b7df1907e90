package import Fleece
package import Foundation

/// The types of the public API that documents store in a form of their own.
///
/// The coder recognizes them by comparing types, so that other values are coded without any call of these types.
package final class ModelTypes: Sendable {
    let blob: any ModelBlob.Type
    let documentID: any ModelDocumentID.Type
    /// Returns the wrapper of type ``documentID`` that the type of a model itself declares; `nil` if there is none.
    let wrapper: @Sendable (_ model: Any) -> DocumentIdentity?
    /// Returns the paths in documents that a type specifies for its key paths; `nil` for a type that specifies none.
    let documentKeys: @Sendable (Any.Type) -> [AnyKeyPath: String]?
    /// Returns the default value that a type declares; `nil` for a type that declares none.
    let defaultValue: @Sendable (Any.Type) -> (any Encodable)?
    /// Returns the former keys that a type declares, for each present key; none for a type that declares none.
    let formerKeys: @Sendable (Any.Type) -> [(key: String, former: [String])]
    /// Returns the form of a string that a key path of `String` denotes; `nil` for any other key path.
    let textForm: @Sendable (AnyKeyPath) -> TextForm?
    /// Writes the blobs that a predicate has captured, without storing their content.
    let constantBlobs: any BlobWriting & Sendable

    /// Names the types of the public API.
    ///
    /// - Parameters:
    ///   - blob: The class of blobs.
    ///   - documentID: The property wrapper for the ID of a document.
    ///   - wrapper: Returns the wrapper that the type of a model itself declares; `nil` if there is none.
    ///   - constantBlobs: Writes the blobs that a predicate has captured, without storing their content.
    ///   - documentKeys: Returns the paths in documents that a type specifies for its key paths; `nil` for a type that specifies none.
    ///   - defaultValue: Returns the default value that a type declares; `nil` for a type that declares none.
    ///   - formerKeys: Returns the former keys that a type declares, for each present key.
    ///   - textForm: Returns the form of a string that a key path of `String` denotes; `nil` for any other key path. Default: there are none.
    package init(
        blob: any ModelBlob.Type,
        documentID: any ModelDocumentID.Type,
        wrapper: @escaping @Sendable (_ model: Any) -> DocumentIdentity?,
        constantBlobs: any BlobWriting & Sendable,
        documentKeys: @escaping @Sendable (Any.Type) -> [AnyKeyPath: String]?,
        defaultValue: @escaping @Sendable (Any.Type) -> (any Encodable)?,
        formerKeys: @escaping @Sendable (Any.Type) -> [(key: String, former: [String])],
        textForm: @escaping @Sendable (AnyKeyPath) -> TextForm? = { _ in nil }
    ) {
        (self.blob, self.constantBlobs) = (blob, constantBlobs)
        (self.documentID, self.wrapper) = (documentID, wrapper)
        (self.documentKeys, self.defaultValue, self.formerKeys) = (documentKeys, defaultValue, formerKeys)
        self.textForm = textForm
    }
}

/// A form of a string in which predicates compare it: a property of `String` in the public API.
package enum TextForm: Sendable {
    /// In lower case.
    case ignoringCase
    /// The form in which `localizedStandardContains(_:)` searches: without case and accents.
    case searched
}

/// The type of blobs. Stored blobs are created by a ``ModelSource`` and written by ``BlobWriting``.
package protocol ModelBlob: SendableMetatype {
    /// Creates a blob that belongs to no database, from a content in memory.
    init(contentType: String, data: Data)
}

/// The property wrapper for the ID of a document.
package protocol ModelDocumentID: SendableMetatype {
    /// Creates the wrapper of a document.
    init(_ identity: DocumentIdentity)

    /// The ID of the document; `nil` before it was saved.
    var wrappedValue: String? { get }
}

/// The data from which objects are decoded, and the creation of the blobs in it.
package protocol ModelSource: Sendable {
    /// The encoded data, which does not change as long as the source exists.
    var data: FleeceData { get }
    /// The list of keys to which the numbers in the data belong.
    var sharedKeys: SharedKeys { get }

    /// Returns whether `value`, a part of the data, is a blob and not a plain dictionary.
    func isBlob(_ value: Value) -> Bool

    /// Returns the blob that `value`, a part of the data, describes: an instance of ``ModelTypes/blob``.
    func makeBlob(for value: Value) -> any ModelBlob
}

/// Writes the blobs of an object that is encoded.
package protocol BlobWriting {
    /// Writes the dictionary that represents a blob, after its content was stored.
    ///
    /// - Parameter blob: An instance of ``ModelTypes/blob``.
    func write(_ blob: Any, into encoder: inout Fleece.Encoder) throws
}

/// `Optional` with any wrapped type: used to recognize `nil` inside `Any`, and optional types.
package protocol OptionalValue {
    /// The type without `Optional`.
    static var wrappedType: Any.Type { get }
    /// The value without `Optional`; `nil` if there is none.
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    package static var wrappedType: Any.Type { Wrapped.self }
    package var wrapped: Any? { self }
}
