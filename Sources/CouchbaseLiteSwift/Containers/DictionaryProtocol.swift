/// What documents, dictionaries and rows of query results have in common: values under keys.
///
/// The typed getters never fail: no value, or one of another type, reads as nil, zero or false.
public protocol DictionaryProtocol: DictionaryFragment {
    /// How many keys there are.
    var count: Int { get }
    /// The keys, each once.
    var keys: [String] { get }
    /// The value under `key`; nil when there is none.
    func value(forKey key: String) -> Any?
    /// The string under `key`; nil when there is none.
    func string(forKey key: String) -> String?
    /// The number or boolean under `key`; nil when there is none.
    func number(forKey key: String) -> NSNumber?
    /// The number under `key`, truncated towards zero and clamped; 1 for true; else 0.
    func int(forKey key: String) -> Int
    /// The number under `key`, truncated towards zero and clamped; 1 for true; else 0.
    func int64(forKey key: String) -> Int64
    /// The number under `key`; 1 for true; else 0.
    func float(forKey key: String) -> Float
    /// The number under `key`; 1 for true; else 0.
    func double(forKey key: String) -> Double
    /// Whether the value under `key` is anything but false, zero, null or absent.
    func boolean(forKey key: String) -> Bool
    /// The date that the string under `key` says in ISO-8601; nil when there is none.
    func date(forKey key: String) -> Date?
    /// The blob under `key`; nil when there is none.
    func blob(forKey key: String) -> Blob?
    /// The array under `key`; nil when there is none.
    func array(forKey key: String) -> ArrayObject?
    /// The dictionary under `key`; nil when there is none.
    func dictionary(forKey key: String) -> DictionaryObject?
    /// Whether there is a value under `key`, be it null.
    func contains(key: String) -> Bool
    /// All values as plain Swift ones: dictionaries, arrays, strings, `NSNumber`, `NSNull`. Blobs stay blobs.
    func toDictionary() -> [String: Any]
}
