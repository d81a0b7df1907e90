import ModelCoding

/// Marks a property of a model that counts, so that changes on several devices are added instead of overwriting each other.
///
/// ```swift
/// struct Article: Codable {
///     @DocumentID var id: String?
///     var name: String
///     @Counter var stock: Int
/// }
/// ```
///
/// Two devices that both execute `stock -= 1` and save would otherwise store equal documents, which are no conflict, and one change would be
/// lost. A counter is stored as a plain number, which queries and every other program read, and beside it as what each device has added and
/// subtracted, in a property with the same key and `_counter` after it. Saves add the change since the model was read or last saved, also if
/// the document was changed in the meantime. ``ConflictResolver/default`` and the resolvers that ``ConflictResolver`` makes add the changes of
/// both versions.
///
/// - A change of the number by code or a program that knows no counters, such as `UPDATE` or an app without this wrapper, counts as well: it
///   is the difference between the number and that which the tallies say, and is given to the revision in which it is found.
/// - The number with which a document is created is its start, which the copies have in common: two devices that both create it with 10 have
///   10, not 20.
/// - Assigning a value is a change by the difference. So a conflict handler of a save need not touch a counter.
/// - Up to 64 devices and 16 revisions have their own tallies. Those with the fewest changes, and the earliest revisions, become a part of the
///   start.
///
/// A counter must be a property of the model itself, not of a structure within it. Copies of a model share its pending change: it is saved once.
/// <doc:Conflicts> describes the rules, and what a restored backup means.
@propertyWrapper
public struct Counter: Codable, Sendable {
    private var count: PendingCount

    /// The number. After a save of a document that was changed in the meantime, it is still that of this copy; reading the model again returns
    /// the sum.
    public var wrappedValue: Int {
        // A count is made of an `Int`, so that nothing is cut off.
        get { Int(truncatingIfNeeded: count.value) }
        set { count.value = Int64(newValue) }
    }

    /// Creates the counter of a new model. If the document exists when the model is saved, its number is set to this one.
    public init(wrappedValue: Int) { count = PendingCount(Int64(wrappedValue), isSaved: false) }

    /// Decodes the number.
    ///
    /// - Throws: `DecodingError` if the value is not a whole number that an `Int` can have.
    public init(from decoder: any Decoder) throws {
        count = ModelDecoding.counter(Int64(try decoder.singleValueContainer().decode(Int.self)), from: decoder)
    }

    /// Encodes the number; in a document, also what was added and subtracted.
    ///
    /// - Throws: `EncodingError` if it is encoded in a document as a part of a value within the model; the error of `encoder`.
    public func encode(to encoder: any Swift.Encoder) throws {
        if try ModelEncoding.write(counter: count, to: encoder) { return }
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension Counter: CustomStringConvertible, CustomReflectable {
    /// The number.
    public var description: String { String(wrappedValue) }

    /// The number, so that a dump of a model shows it instead of internals.
    public var customMirror: Mirror { Mirror(reflecting: wrappedValue) }
}

extension Counter: Hashable {
    /// Returns whether two counters have the same number. Pending changes are not compared.
    public static func == (left: Counter, right: Counter) -> Bool { left.wrappedValue == right.wrappedValue }

    /// Feeds the number into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}
