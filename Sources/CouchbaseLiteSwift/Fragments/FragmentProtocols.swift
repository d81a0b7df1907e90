/// The value that a step of a path leads to.
public protocol FragmentProtocol {
    /// The value; nil when there is none.
    var value: Any? { get }
    /// The string; nil when there is none.
    var string: String? { get }
    /// The number or boolean; nil when there is none.
    var number: NSNumber? { get }
    /// The number, truncated towards zero and clamped; 1 for true; else 0.
    var int: Int { get }
    /// The number, truncated towards zero and clamped; 1 for true; else 0.
    var int64: Int64 { get }
    /// The number; 1 for true; else 0.
    var float: Float { get }
    /// The number; 1 for true; else 0.
    var double: Double { get }
    /// Whether the value is anything but false, zero, null or absent.
    var boolean: Bool { get }
    /// The date that the string says in ISO-8601; nil when there is none.
    var date: Date? { get }
    /// The blob; nil when there is none.
    var blob: Blob? { get }
    /// The array; nil when there is none.
    var array: ArrayObject? { get }
    /// The dictionary; nil when there is none.
    var dictionary: DictionaryObject? { get }
    /// Whether there is a value, be it null.
    var exists: Bool { get }
}

/// Gives steps of paths by index.
public protocol ArrayFragment {
    /// The value at `index`, which need not exist.
    subscript(index: Int) -> Fragment { get }
}

/// Gives steps of paths by key.
public protocol DictionaryFragment {
    /// The value under `key`, which need not exist.
    subscript(key: String) -> Fragment { get }
}

/// The value that a step of a path leads to, which can be set.
public protocol MutableFragmentProtocol: FragmentProtocol {
    /// The value; nil when there is none.
    var value: Any? { get set }
    /// The string; nil when there is none.
    var string: String? { get set }
    /// The number or boolean; nil when there is none.
    var number: NSNumber? { get set }
    /// The number, truncated towards zero and clamped; 1 for true; else 0.
    var int: Int { get set }
    /// The number, truncated towards zero and clamped; 1 for true; else 0.
    var int64: Int64 { get set }
    /// The number; 1 for true; else 0.
    var float: Float { get set }
    /// The number; 1 for true; else 0.
    var double: Double { get set }
    /// Whether the value is anything but false, zero, null or absent.
    var boolean: Bool { get set }
    /// The date that the string says in ISO-8601; nil when there is none.
    var date: Date? { get set }
    /// The blob; nil when there is none.
    var blob: Blob? { get set }
    /// The array; nil when there is none.
    var array: MutableArrayObject? { get set }
    /// The dictionary; nil when there is none.
    var dictionary: MutableDictionaryObject? { get set }
}

/// Gives steps of paths by index, which can be set.
public protocol MutableArrayFragment {
    /// The value at `index`, which need not exist.
    subscript(index: Int) -> MutableFragment { get }
}

/// Gives steps of paths by key, which can be set.
public protocol MutableDictionaryFragment {
    /// The value under `key`, which need not exist.
    subscript(key: String) -> MutableFragment { get }
}
