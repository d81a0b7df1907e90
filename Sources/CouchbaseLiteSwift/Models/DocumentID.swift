package import DocumentStore
import ExactStrings
import ModelCoding
import Synchronization

/// Marks the property of a model that contains the document's ID.
///
/// ```swift
/// struct Note: Codable, Identifiable {
///     @DocumentID var id: String?
///     var title: String
/// }
/// ```
///
/// The property may have any name. It must be declared in the structure or class itself; properties of superclasses are ignored. The ID is
/// not written into the document's body. The wrapper also stores the revision that was last read or saved, which
/// ``Collection/save(from:concurrencyControl:)`` and `save(_:concurrencyControl:)` of a ``ModelCollection`` compare with the stored
/// revision.
///
/// A wrapper is a value: a copy of a structure keeps its ID and revision when another copy is saved. An object of a class has one wrapper,
/// which a save updates. Thread-safe.
@propertyWrapper
public struct DocumentID: Codable, Sendable {
    private struct State {
        var id: String?
        var revision: RevisionID?
    }

    /// The state that copies of a wrapper share until one of them is changed. The library updates it in place, but only for an object of a
    /// class, or before a structure is passed to the app.
    private final class Box: Sendable {
        struct Content {
            var state: TransactionalValue<State>
            /// Whether the app has set the ID of a copy, which has another box since then.
            var wasReplaced = false
        }
        let content: Mutex<Content>

        init(_ state: TransactionalValue<State>) { content = Mutex(Content(state: state)) }
    }

    private var box: Box

    private var state: State { box.content.withLock { $0.state.value } }

    /// The revision that was last read or saved; `nil` if the document was never saved.
    var revision: RevisionID? { state.revision }

    /// The ID; `nil` if an ID is to be generated when the model is saved.
    ///
    /// Once the model has been read or saved, changing the ID is a programming error, which traps.
    public var wrappedValue: String? {
        get { state.id }
        set {
            guard revision == nil else { _CBLMisuse.invalidArgument("The ID of an object that was read or saved cannot be changed.") }
            if !isKnownUniquelyReferenced(&box) {
                box.content.withLock { $0.wasReplaced = true }
                self = separated()
            }
            box.content.withLock { $0.state.value.id = newValue }
        }
    }

    /// Creates the ID of a document that has not been read or saved.
    public init(wrappedValue: String?) { self.init(TransactionalValue(State(id: wrappedValue))) }

    package init(_ id: String, revision: RevisionID) { self.init(TransactionalValue(State(id: id, revision: revision))) }

    private init(_ state: TransactionalValue<State>) { box = Box(state) }

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

    // MARK: Changes by the library

    /// Returns a wrapper with the same state, which shares it with no other. If a batch is rolled back, both return to the same state.
    func separated() -> DocumentID { DocumentID(box.content.withLock { $0.state }) }

    /// Returns whether an update of one of two wrappers also updates the other.
    func sharesState(with other: DocumentID) -> Bool { box === other.box }

    /// Sets the ID and revision after the model was read or saved, or its document was deleted, for all wrappers that share the state.
    ///
    /// - Parameter transactionOutcome: The outcome of the batch in which this happened. If the batch is rolled back, the previous ID
    ///   and revision are restored.
    func stands(for id: String, _ revision: RevisionID, transactionOutcome: TransactionOutcome? = nil) {
        set(State(id: id, revision: revision), transactionOutcome)
    }

    /// Removes the revision after the document was purged. The ID remains.
    ///
    /// - Parameter transactionOutcome: As for ``stands(for:_:transactionOutcome:)``.
    func didPurge(transactionOutcome: TransactionOutcome?) {
        set(State(id: wrappedValue), transactionOutcome)
    }

    private func set(_ state: State, _ transactionOutcome: TransactionOutcome?) {
        box.content.withLock { $0.state.set(state, transactionOutcome: transactionOutcome) }
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

/// An object that can be saved as a document. See ``DocumentID``.
public typealias DocumentEncodable = Encodable & AnyObject
/// An object that can be decoded from a document. See ``DocumentID``.
public typealias DocumentDecodable = Decodable & AnyObject
/// An object that can be saved as a document and decoded from one. See ``DocumentID``.
public typealias DocumentCodable = Codable & AnyObject

extension DocumentID {
    private static let wrappers = PropertyFinder<DocumentID>()

    /// Returns the wrapper that the class of `object` itself declares.
    ///
    /// - Throws: `invalidParameter` if there is none.
    static func of(_ object: AnyObject) throws -> DocumentID {
        if let wrapper = find(in: object) { return wrapper }
        throw NSError.couchbaseLite(
            CBLError.invalidParameter,
            "The class \(Swift.type(of: object)) has no property that is marked with @DocumentID"
        )
    }

    /// Returns the wrapper that the type of `model` itself declares; `nil` if there is none.
    static func find(in model: Any) -> DocumentID? { wrappers.property(of: model) }

    /// Returns the wrapper that `object` has now, which was `self`: another one if the app has set the ID in the meantime.
    func current(of object: AnyObject) -> DocumentID { box.content.withLock { $0.wasReplaced } ? Self.find(in: object) ?? self : self }
}
