import Base
import Foundation
import QueryLanguage

/// A query or statement in SQL++, with the values that were interpolated into it.
///
/// An interpolated value becomes a parameter, not a part of the text: its content cannot change the meaning of the query, and quotes in it
/// need no escaping. Names are interpolated as collections, or with a label.
///
/// ```swift
/// let airports = try database.query(
///     "SELECT name FROM \(collection) WHERE tz = \(tz) ORDER BY \(property: column)"
/// ).execute()
/// ```
///
/// Values can be strings, numbers, booleans, dates, durations, UUIDs, URLs, data, blobs, arrays, dictionaries and optionals of these;
/// other types do not compile. `nil` is a missing value.
public struct QueryText: ExpressibleByStringInterpolation {
    /// The text, with a parameter in the place of each value.
    let text: String
    /// The interpolated values.
    let parameters: Parameters

    /// Creates a query without values.
    public init(stringLiteral value: String) { self.init(verbatim: value) }

    /// Creates a query from text that is complete as it is. Never build such text from input of a user: use an interpolation or parameters.
    public init(verbatim text: String) {
        self.text = text
        parameters = Parameters()
    }

    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
        parameters = stringInterpolation.parameters
    }

    /// The pieces of a query while its literal is evaluated.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate let parameters = Parameters()
        fileprivate var count = 0

        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity + interpolationCount * 8) }
        public mutating func appendLiteral(_ literal: String) { text += literal }

        private mutating func append(_ set: (Parameters, String) -> Parameters) {
            count += 1
            let name = "_\(count)"
            text += "$" + name
            _ = set(parameters, name)
        }

        /// Binds a string.
        public mutating func appendInterpolation(_ value: String?) { append { $0.setString(value, forName: $1) } }
        /// Binds an integer. One that is out of the range of `Int64` and `UInt64` is a programming error.
        public mutating func appendInterpolation<Value: FixedWidthInteger>(_ value: Value?) { append { $0.setValue(value, forName: $1) } }
        /// Binds a floating-point number.
        public mutating func appendInterpolation<Value: BinaryFloatingPoint>(_ value: Value?) { append { $0.setValue(value, forName: $1) } }
        /// Binds a boolean.
        public mutating func appendInterpolation(_ value: Bool?) { append { $0.setValue(value, forName: $1) } }
        /// Binds a date, as the ISO 8601 string in which documents store dates.
        public mutating func appendInterpolation(_ value: Date?) { append { $0.setDate(value, forName: $1) } }
        /// Binds a decimal number in the form in which documents store it: as a number, or as text if no number has its digits.
        public mutating func appendInterpolation(_ value: Decimal?) { append { $0.setValue(value, forName: $1) } }
        /// Binds a duration, as the number of seconds that documents store.
        public mutating func appendInterpolation(_ value: Duration?) { append { $0.setValue(value, forName: $1) } }
        /// Binds a UUID, as the string in capital letters that documents store.
        public mutating func appendInterpolation(_ value: UUID?) { append { $0.setValue(value, forName: $1) } }
        /// Binds a URL, as the string that documents store.
        public mutating func appendInterpolation(_ value: URL?) { append { $0.setValue(value, forName: $1) } }
        /// Binds the raw value of an enumeration, which is what documents store.
        public mutating func appendInterpolation<Value: RawRepresentable<String>>(_ value: Value?) {
            append { $0.setString(value?.rawValue, forName: $1) }
        }
        /// Binds the raw value of an enumeration, which is what documents store.
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value?) where Value.RawValue: FixedWidthInteger {
            append { $0.setValue(value?.rawValue, forName: $1) }
        }
        /// Binds data, as a blob.
        public mutating func appendInterpolation(_ value: Data?) { append { $0.setValue(value, forName: $1) } }
        /// Binds a blob.
        public mutating func appendInterpolation(_ value: Blob?) { append { $0.setBlob(value, forName: $1) } }
        /// Binds an array of values that a document can store.
        public mutating func appendInterpolation(_ value: [Any]?) { append { $0.setValue(value, forName: $1) } }
        /// Binds a dictionary of values that a document can store.
        public mutating func appendInterpolation(_ value: [String: Any]?) { append { $0.setValue(value, forName: $1) } }
        /// Binds an array.
        public mutating func appendInterpolation(_ value: ArrayObject?) { append { $0.setArray(value, forName: $1) } }
        /// Binds a dictionary.
        public mutating func appendInterpolation(_ value: DictionaryObject?) { append { $0.setDictionary(value, forName: $1) } }

        /// Inserts the full name of a collection.
        public mutating func appendInterpolation(_ collection: Collection) {
            text += SQLPlusPlus.quoted(collection.scope.name) + "." + SQLPlusPlus.quoted(collection.name)
        }

        /// Inserts the path of a property, such as `address.city` or `tags[0]`, with each key in backticks. A key that contains a dot or a
        /// bracket is written with a backslash before it. An invalid path makes the query invalid.
        public mutating func appendInterpolation(property path: String) { text += SQLPlusPlus.quoted(path: path) }

        /// Inserts a name, such as that of a collection or an alias, in backticks.
        public mutating func appendInterpolation(name: String) { text += SQLPlusPlus.quoted(name) }
    }

    /// Returns the values of all parameters: those of the interpolation, and `other`.
    ///
    /// - Throws: `invalidQueryParam` if `other` has a parameter with the name of an interpolated one.
    func parameters(adding other: Parameters?) throws(QueryError) -> Parameters {
        guard let other else { return parameters }
        let all = Parameters(parameters: other)
        for (name, value) in parameters.values {
            guard !all.contains(name) else {
                throw QueryError(.invalidQueryParameter, "the parameter $\(name.string) is the name of an interpolated value")
            }
            all.setStored(value, forName: name)
        }
        return all
    }
}

extension Database {
    /// Creates and compiles a query from SQL++ text with interpolated values, which are set as its ``Query/parameters``.
    ///
    /// ```swift
    /// let rows = try database.query("SELECT name FROM airports WHERE tz = \(tz) AND runway >= \(length)").execute()
    /// ```
    ///
    /// - Throws: As ``createQuery(_:)``.
    public func query(_ text: QueryText) throws -> Query {
        let query = try createQuery(text.text)
        if !text.parameters.values.isEmpty { query.parameters = text.parameters }
        return query
    }
}
