/// What arrays and rows of query results have in common: values in an order.
///
/// The typed getters never fail: a value of another type reads as nil, zero or false. An index out of range is a misuse.
public protocol ArrayProtocol: ArrayFragment {
    /// How many values there are.
    var count: Int { get }
    /// The value at `index`.
    func value(at index: Int) -> Any?
    /// The string at `index`; nil when there is none.
    func string(at index: Int) -> String?
    /// The number or boolean at `index`; nil when there is none.
    func number(at index: Int) -> NSNumber?
    /// The number at `index`, truncated towards zero and clamped; 1 for true; else 0.
    func int(at index: Int) -> Int
    /// The number at `index`, truncated towards zero and clamped; 1 for true; else 0.
    func int64(at index: Int) -> Int64
    /// The number at `index`; 1 for true; else 0.
    func float(at index: Int) -> Float
    /// The number at `index`; 1 for true; else 0.
    func double(at index: Int) -> Double
    /// Whether the value at `index` is anything but false, zero, null or absent.
    func boolean(at index: Int) -> Bool
    /// The date that the string at `index` says in ISO-8601; nil when there is none.
    func date(at index: Int) -> Date?
    /// The blob at `index`; nil when there is none.
    func blob(at index: Int) -> Blob?
    /// The array at `index`; nil when there is none.
    func array(at index: Int) -> ArrayObject?
    /// The dictionary at `index`; nil when there is none.
    func dictionary(at index: Int) -> DictionaryObject?
    /// All values as plain Swift ones: dictionaries, arrays, strings, `NSNumber`, `NSNull`. Blobs stay blobs.
    func toArray() -> [Any]
    /// The values as JSON.
    func toJSON() -> String
}
