import Fleece
import Foundation

/// A type of Swift or Foundation that documents store as a scalar of their own choice (API 9), because the type encodes itself as something
/// else: in an internal form, or as a number that nobody else reads as a date.
///
/// Properties of models, constants of predicates, parameters, interpolated values and values that are set in a document all have this form.
protocol AdaptedScalar: Codable {
    /// The scalar that documents contain. Like any other, it may be a date or number that cannot be stored.
    var adapted: ScalarValue { get }

    /// Reads a stored scalar; `nil` if `value` is of another type or does not have this form.
    init?(adapted value: Value)

    /// Reads an array or dictionary, as which earlier versions have stored values of this type.
    ///
    /// - Throws: `DecodingError` if the type has never been stored so.
    init(former decoder: ValueDecoder) throws

    /// What is expected in a document, for messages: `a date`.
    static var expected: String { get }
    /// What a string must be, for messages.
    static var expectedText: String { get }
    /// Whether numbers are read, if they are in range.
    static var readsNumbers: Bool { get }
}

extension AdaptedScalar {
    init(former decoder: ValueDecoder) throws { throw try decoder.mismatch(Self.self, Self.expected, decoder.singleValue) }

    static var expectedText: String { expected }
    static var readsNumbers: Bool { false }
}

/// How documents store the types that `JSONEncoder` handles itself, and those whose own encoding is not meant for others.
enum StoredForm {
    /// Returns the scalar as which a value is stored; `nil` if its type encodes itself.
    static func scalar<T>(of value: T) -> ScalarValue? {
        if let date = exactly(Date.self, value) { return date.adapted }
        if let uuid = exactly(UUID.self, value) { return uuid.adapted }
        if let url = exactly(URL.self, value) { return url.adapted }
        if let decimal = exactly(Decimal.self, value) { return decimal.adapted }
        if let duration = exactly(Duration.self, value) { return duration.adapted }
        return nil
    }

    /// Decodes a value that is stored as a scalar; `nil` if its type decodes itself.
    static func decode<T>(_ type: T.Type, _ decoder: ValueDecoder, _ value: Value, at key: (any CodingKey)?) throws -> T? {
        if type == Date.self { return try decoder.adapted(Date.self, value, at: key) as? T }
        if type == UUID.self { return try decoder.adapted(UUID.self, value, at: key) as? T }
        if type == URL.self { return try decoder.adapted(URL.self, value, at: key) as? T }
        if type == Decimal.self { return try decoder.adapted(Decimal.self, value, at: key) as? T }
        if type == Duration.self { return try decoder.adapted(Duration.self, value, at: key) as? T }
        return nil
    }

    /// Returns why values of a type cannot be stored; `nil` if they can.
    static func refusal<T>(of type: T.Type) -> String? {
        if type == Data.self { return "binary data cannot be stored in a property, use a Blob" }
        if type == Int128.self || type == UInt128.self { return "integers of more than 64 bits cannot be stored" }
        if type == CharacterSet.self { return "a set of characters is binary data; store a string with the characters" }
        if type == ContinuousClock.Instant.self || type == SuspendingClock.Instant.self {
            return "the time of a clock that begins when the device starts has no meaning later; store a Date or Duration"
        }
        return nil
    }
}
