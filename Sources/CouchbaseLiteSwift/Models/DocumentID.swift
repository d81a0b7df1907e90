import DocumentStore

/// Marks the property of a model class that is the document's ID.
///
/// ```swift
/// final class Airline: Codable {
///     @DocumentID var id: String?
///     var name = ""
/// }
/// ```
///
/// The property may have any name. It must be declared in the class itself: those of superclasses do not count. The ID is
/// not written into the document's body. Beside the ID the wrapper remembers the revision that was read or saved, which
/// ``Collection/save(from:concurrencyControl:)`` compares with what is stored.
@propertyWrapper
public final class DocumentID: Codable {
    private struct State {
        var id: String?
        var revision: RevisionID?
    }
    private var state: TransactionalValue<State>

    /// The revision that was read or saved last; nil when the document was never saved.
    var revision: RevisionID? { state.value.revision }

    /// The ID; nil to have one generated when the object is saved.
    ///
    /// Once the object has been read or saved it stands for that document: setting another ID is a programming error.
    public var wrappedValue: String? {
        get { state.value.id }
        set {
            guard revision == nil else {
                _CBLMisuse.invalidArgument("The ID of an object that was read or saved cannot be changed.")
            }
            state.value.id = newValue
        }
    }

    /// The ID of a document that has not been read or saved.
    public init(wrappedValue: String?) {
        state = TransactionalValue(State(id: wrappedValue))
    }

    init(_ id: String, revision: RevisionID) {
        state = TransactionalValue(State(id: id, revision: revision))
    }

    /// Reads the ID as a value of its own: a string, or null. As the ID of a document that is read it comes from the
    /// document itself instead.
    ///
    /// - Throws: `DecodingError` when the value is neither.
    public init(from decoder: any Decoder) throws {
        state = TransactionalValue(State(id: try decoder.singleValueContainer().decode(String?.self)))
    }

    /// Writes the ID as a value of its own: a string, or null. As the ID of a document that is saved it is left out.
    ///
    /// - Throws: The error of `encoder`.
    public func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }

    /// The object was read or saved, or its document deleted: it stands for this revision.
    ///
    /// - Parameter fate: That of the batch in which it happened. When it fails, the object goes back to what it was before.
    func stands(for id: String, _ revision: RevisionID, fate: TransactionOutcome? = nil) {
        state.set(State(id: id, revision: revision), fate: fate)
    }

    /// The document was purged, and the object is like a new one.
    ///
    /// - Parameter fate: See ``stands(for:_:fate:)``.
    func didPurge(fate: TransactionOutcome?) {
        state.set(State(id: wrappedValue), fate: fate)
    }
}

/// An object that can be saved as a document. See ``DocumentID``.
public typealias DocumentEncodable = Encodable & AnyObject
/// An object that a document can be read as. See ``DocumentID``.
public typealias DocumentDecodable = Decodable & AnyObject
/// An object that can be saved as a document, and that a document can be read as. See ``DocumentID``.
public typealias DocumentCodable = Codable & AnyObject
