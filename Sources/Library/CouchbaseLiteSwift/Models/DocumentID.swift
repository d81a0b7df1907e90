import Base
package import ModelCoding

/// Marks the property of a model that contains the document's ID.
///
/// ```swift
/// struct Note: Codable, Identifiable {
///     @DocumentID var id: String?
///     var title: String
/// }
/// ```
///
/// The property may have any name, and a class may inherit it; of several, that of the most derived class is used. The ID is not written into
/// the document's body. The wrapper also stores the revision that was last read or saved, which
/// ``Collection/save(from:concurrencyControl:)`` and `save(_:concurrencyControl:)` of a ``ModelCollection`` compare with the stored
/// revision.
///
/// `print` and debuggers show the ID.
///
/// A wrapper is a value: a copy of a structure keeps its ID and revision when another copy is saved. An object of a class has one wrapper,
/// which a save updates. Thread-safe.
@propertyWrapper
public struct DocumentID: Codable, Sendable {
    var identity: DocumentIdentity

    /// The ID; `nil` if an ID is to be generated when the model is saved.
    ///
    /// Once the model has been read or saved, changing the ID is a programming error, which traps.
    public var wrappedValue: String? {
        get { identity.id }
        set {
            guard identity.revision == nil else {
                _CBLMisuse.invalidArgument("The ID of an object that was read or saved cannot be changed.")
            }
            identity.id = newValue
        }
    }

    /// Creates the ID of a document that has not been read or saved.
    public init(wrappedValue: String?) { identity = DocumentIdentity(wrappedValue) }

    package init(_ identity: DocumentIdentity) { self.identity = identity }

    /// Decodes the ID as a separate value: a string or null. When a whole document is read, the ID is taken from the document instead.
    ///
    /// - Throws: `DecodingError` if the value is neither.
    public init(from decoder: any Decoder) throws { self.init(wrappedValue: try decoder.singleValueContainer().decode(String?.self)) }

    /// Encodes the ID as a separate value: a string or null. When a whole document is saved, the ID is omitted.
    ///
    /// - Throws: The error of `encoder`.
    public func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension DocumentID: Equatable, Hashable {
    /// Returns whether two IDs consist of the same bytes, or both are `nil`. The revisions are not compared.
    public static func == (left: DocumentID, right: DocumentID) -> Bool {
        left.wrappedValue.map { ExactString($0) } == right.wrappedValue.map { ExactString($0) }
    }

    /// Feeds the bytes of the ID into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue.map { ExactString($0) }) }
}

extension DocumentID: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The ID; `nil` as text if there is none yet.
    public var description: String { wrappedValue ?? "nil" }

    /// The ID in quotation marks; `nil` without them if there is none yet.
    public var debugDescription: String { wrappedValue.map { String(reflecting: $0) } ?? "nil" }

    /// A mirror without children, because the ID is all that there is to show.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An object that can be saved as a document. See ``DocumentID``.
public typealias DocumentEncodable = Encodable & AnyObject
/// An object that can be decoded from a document. See ``DocumentID``.
public typealias DocumentDecodable = Decodable & AnyObject
/// An object that can be saved as a document and decoded from one. See ``DocumentID``.
public typealias DocumentCodable = Codable & AnyObject
