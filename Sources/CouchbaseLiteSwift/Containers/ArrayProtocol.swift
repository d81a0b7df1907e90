/// The interface that arrays and rows of query results share: ordered values.
///
/// The typed getters never fail: a value of another type is returned as `nil`, zero or `false`. An index out of range
/// is a programming error, which traps.
public protocol ArrayProtocol: ArrayFragment {
    /// The number of values.
    var count: Int { get }
    /// Returns the value at `index`; `nil` if a column of a query result is missing or null.
    func value(at index: Int) -> Any?
    /// Returns the string at `index`; `nil` if the value is not a string.
    func string(at index: Int) -> String?
    /// Returns the number or boolean at `index`; `nil` if the value is neither.
    func number(at index: Int) -> NSNumber?
    /// Returns the number at `index`, truncated towards zero and clamped to the range of `Int`; 1 for `true`; 0 for any other value.
    func int(at index: Int) -> Int
    /// Returns the number at `index`, truncated towards zero and clamped to the range of `Int64`; 1 for `true`; 0 for any other value.
    func int64(at index: Int) -> Int64
    /// Returns the number at `index`, rounded to `Float`; 1 for `true`; 0 for any other value.
    func float(at index: Int) -> Float
    /// Returns the number at `index`, rounded to `Double`; 1 for `true`; 0 for any other value.
    func double(at index: Int) -> Double
    /// Returns `false` if the value at `index` is `false`, zero or null, and `true` for any other value, including every string.
    func boolean(at index: Int) -> Bool
    /// Returns the date of the ISO-8601 string at `index`; `nil` if the value is not such a string. A time without a
    /// time zone is in the local time zone.
    func date(at index: Int) -> Date?
    /// Returns the blob at `index`; `nil` if the value is not a blob.
    func blob(at index: Int) -> Blob?
    /// Returns the array at `index`; `nil` if the value is not an array.
    func array(at index: Int) -> ArrayObject?
    /// Returns the dictionary at `index`; `nil` if the value is not a dictionary.
    func dictionary(at index: Int) -> DictionaryObject?
    /// Returns all values as Swift values: `[String: Any]`, `[Any]`, `String`, `NSNumber` and `NSNull`. Blobs remain ``Blob`` objects.
    func toArray() -> [Any]
    /// Returns the values as JSON text.
    func toJSON() -> String
}
