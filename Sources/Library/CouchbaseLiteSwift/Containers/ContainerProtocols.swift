/// The interface that documents, dictionaries and rows of query results share: values for keys.
///
/// The typed getters never fail: a missing value, or one of another type, is returned as `nil`, zero or `false`.
public protocol DictionaryProtocol: DictionaryFragment {
    /// The number of keys.
    var count: Int { get }
    /// The keys; each occurs once.
    var keys: [String] { get }
    /// Returns the value for `key`; `nil` if there is none.
    func value(forKey key: String) -> Any?
    /// Returns the string for `key`; `nil` if the value is missing or not a string.
    func string(forKey key: String) -> String?
    /// Returns the number or boolean for `key`; `nil` if the value is missing or neither.
    func number(forKey key: String) -> NSNumber?
    /// Returns the number for `key`, truncated towards zero and clamped to `Int`; 1 for `true`; 0 for any other or a missing value.
    func int(forKey key: String) -> Int
    /// Returns the number for `key`, truncated towards zero and clamped to `Int64`; 1 for `true`; 0 for any other or a missing value.
    func int64(forKey key: String) -> Int64
    /// Returns the number for `key`, rounded to `Float`; 1 for `true`; 0 for any other or a missing value.
    func float(forKey key: String) -> Float
    /// Returns the number for `key`, rounded to `Double`; 1 for `true`; 0 for any other or a missing value.
    func double(forKey key: String) -> Double
    /// Returns `false` if the value for `key` is `false`, zero, null or missing, and `true` for any other value, including every string.
    func boolean(forKey key: String) -> Bool
    /// Returns the date of the ISO-8601 string for `key`; `nil` if the value is missing or not such a string. A time
    /// without a time zone is in the local time zone.
    func date(forKey key: String) -> Date?
    /// Returns the blob for `key`; `nil` if the value is missing or not a blob.
    func blob(forKey key: String) -> Blob?
    /// Returns the array for `key`; `nil` if the value is missing or not an array.
    func array(forKey key: String) -> ArrayObject?
    /// Returns the dictionary for `key`; `nil` if the value is missing or not a dictionary.
    func dictionary(forKey key: String) -> DictionaryObject?
    /// Returns whether there is a value for `key`, which may be null.
    func contains(key: String) -> Bool
    /// Returns all values as Swift values: `[String: Any]`, `[Any]`, `String`, `NSNumber` and `NSNull`. Blobs remain ``Blob`` objects.
    func toDictionary() -> [String: Any]
}

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
    /// Returns the number at `index`, truncated towards zero and clamped to `Int`; 1 for `true`; 0 for any other value.
    func int(at index: Int) -> Int
    /// Returns the number at `index`, truncated towards zero and clamped to `Int64`; 1 for `true`; 0 for any other value.
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
