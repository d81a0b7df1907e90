package import DocumentStore
import Synchronization

/// Marks the property of a model class that contains the document's ID.
///
/// ```swift
/// final class Airline: Codable {
///     @DocumentID var id: String?
///     var name = ""
/// }
/// ```
///
/// The property may have any name. It must be declared in the class itself; properties of superclasses are ignored. The
/// ID is not written into the document's body. The wrapper also stores the revision that was last read or saved, which
/// ``Collection/save(from:concurrencyControl:)`` compares with the stored revision. Not thread-safe.
@propertyWrapper
public final class DocumentID: Codable {
    private struct State {
        var id: String?
        var revision: RevisionID?
    }
    private var state: TransactionalValue<State>

    /// The revision that was last read or saved; `nil` if the document was never saved.
    var revision: RevisionID? { state.value.revision }

    /// The ID; `nil` if an ID is to be generated when the object is saved.
    ///
    /// Once the object has been read or saved, changing the ID is a programming error, which traps.
    public var wrappedValue: String? {
        get { state.value.id }
        set {
            guard revision == nil else {
                _CBLMisuse.invalidArgument("The ID of an object that was read or saved cannot be changed.")
            }
            state.value.id = newValue
        }
    }

    /// Creates the ID of a document that has not been read or saved.
    public init(wrappedValue: String?) {
        state = TransactionalValue(State(id: wrappedValue))
    }

    package init(_ id: String, revision: RevisionID) {
        state = TransactionalValue(State(id: id, revision: revision))
    }

    /// Decodes the ID as a separate value: a string or null. When a whole document is read, the ID is taken from the document instead.
    ///
    /// - Throws: `DecodingError` if the value is neither.
    public init(from decoder: any Decoder) throws {
        state = TransactionalValue(State(id: try decoder.singleValueContainer().decode(String?.self)))
    }

    /// Encodes the ID as a separate value: a string or null. When a whole document is saved, the ID is omitted.
    ///
    /// - Throws: The error of `encoder`.
    public func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }

    /// Sets the ID and revision after the object was read or saved, or its document was deleted.
    ///
    /// - Parameter transactionOutcome: The outcome of the batch in which this happened. If the batch is rolled back, the previous ID
    ///   and revision are restored.
    func stands(for id: String, _ revision: RevisionID, transactionOutcome: TransactionOutcome? = nil) {
        state.set(State(id: id, revision: revision), transactionOutcome: transactionOutcome)
    }

    /// Resets the revision after the document was purged: the object is like a new one.
    ///
    /// - Parameter transactionOutcome: See ``stands(for:_:transactionOutcome:)``.
    func didPurge(transactionOutcome: TransactionOutcome?) {
        state.set(State(id: wrappedValue), transactionOutcome: transactionOutcome)
    }
}

/// An object that can be saved as a document. See ``DocumentID``.
public typealias DocumentEncodable = Encodable & AnyObject
/// An object that can be decoded from a document. See ``DocumentID``.
public typealias DocumentDecodable = Decodable & AnyObject
/// An object that can be saved as a document and decoded from one. See ``DocumentID``.
public typealias DocumentCodable = Codable & AnyObject

extension DocumentID {
    /// For each class seen so far, the index of the wrapper among its properties; `nil` for a class that has none.
    private static let places = Mutex<[ObjectIdentifier: Int?]>([:])

    /// Returns the wrapper that the class of `object` itself declares.
    ///
    /// - Throws: `invalidParameter` if there is none.
    static func of(_ object: AnyObject) throws -> DocumentID {
        let type: AnyClass = Swift.type(of: object)
        let properties = Mirror(reflecting: object).children
        let known = places.withLock { $0[ObjectIdentifier(type)] }
        let place = known ?? properties.enumerated().first { $0.element.value is DocumentID }?.offset
        if known == nil { places.withLock { $0[ObjectIdentifier(type)] = .some(place) } }
        if let place {
            let index = properties.index(properties.startIndex, offsetBy: place)
            if let wrapper = properties[index].value as? DocumentID { return wrapper }
        }
        throw NSError.couchbaseLite(
            code: CBLError.invalidParameter,
            message: "The class \(type) has no property that is marked with @DocumentID"
        )
    }
}
