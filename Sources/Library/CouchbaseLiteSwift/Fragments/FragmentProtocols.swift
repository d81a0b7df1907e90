/// The interface of a value at a path in a document; see ``Fragment``.
public protocol FragmentProtocol {
    /// The value; `nil` if there is none.
    var value: Any? { get }
    /// The string; `nil` if the value is missing or not a string.
    var string: String? { get }
    /// The number or boolean; `nil` if the value is missing or neither.
    var number: NSNumber? { get }
    /// The number, truncated towards zero and clamped to `Int`; 1 for `true`; 0 for any other or a missing value.
    var int: Int { get }
    /// The number, truncated towards zero and clamped to `Int64`; 1 for `true`; 0 for any other or a missing value.
    var int64: Int64 { get }
    /// The number, rounded to `Float`; 1 for `true`; 0 for any other or a missing value.
    var float: Float { get }
    /// The number, rounded to `Double`; 1 for `true`; 0 for any other or a missing value.
    var double: Double { get }
    /// `false` if the value is `false`, zero, null or missing; `true` for any other value.
    var boolean: Bool { get }
    /// The date of an ISO-8601 string; `nil` if the value is missing or not such a string. A time without a time zone
    /// is in the local time zone.
    var date: Date? { get }
    /// The blob; `nil` if the value is missing or not a blob.
    var blob: Blob? { get }
    /// The array; `nil` if the value is missing or not an array.
    var array: ArrayObject? { get }
    /// The dictionary; `nil` if the value is missing or not a dictionary.
    var dictionary: DictionaryObject? { get }
    /// Whether there is a value, which may be null.
    var exists: Bool { get }
}

/// A type whose values can be accessed by index as fragments.
public protocol ArrayFragment {
    /// Returns the value at `index` as a fragment, which does not exist if `index` is out of range.
    subscript(index: Int) -> Fragment { get }
}

/// A type whose values can be accessed by key as fragments.
public protocol DictionaryFragment {
    /// Returns the value for `key` as a fragment, which does not exist if there is no value.
    subscript(key: String) -> Fragment { get }
}

/// The interface of a value at a path in a mutable document, which can be set; see ``MutableFragment``.
public protocol MutableFragmentProtocol: FragmentProtocol {
    /// The value; `nil` if there is none. Setting `nil` sets null. See ``MutableDictionaryObject/setData(_:)`` for the
    /// types that are allowed. For a value that may be of another type, use ``MutableDictionaryProtocol/setValue(validating:forKey:)``.
    var value: Any? { get set }
    /// The string; `nil` if the value is missing or not a string. Setting `nil` sets null.
    var string: String? { get set }
    /// The number or boolean; `nil` if the value is missing or neither. Setting `nil` sets null.
    var number: NSNumber? { get set }
    /// As ``FragmentProtocol/int``. Setting it stores a number.
    var int: Int { get set }
    /// As ``FragmentProtocol/int64``. Setting it stores a number.
    var int64: Int64 { get set }
    /// As ``FragmentProtocol/float``. Setting it stores a number.
    var float: Float { get set }
    /// As ``FragmentProtocol/double``. Setting it stores a number.
    var double: Double { get set }
    /// As ``FragmentProtocol/boolean``. Setting it stores a boolean.
    var boolean: Bool { get set }
    /// The date of an ISO-8601 string; `nil` if the value is missing or not such a string. A time without a time zone
    /// is in the local time zone. Dates are stored in UTC with milliseconds; setting `nil` sets null.
    var date: Date? { get set }
    /// The blob; `nil` if the value is missing or not a blob. Setting `nil` sets null.
    var blob: Blob? { get set }
    /// The array; `nil` if the value is missing or not an array. Setting `nil` sets null; a mutable array is shared with the caller.
    var array: MutableArrayObject? { get set }
    /// The dictionary; `nil` if the value is missing or not a dictionary. Setting `nil` sets null; a mutable dictionary
    /// is shared with the caller.
    var dictionary: MutableDictionaryObject? { get set }
}

/// A type whose values can be accessed by index as fragments that can be set.
public protocol MutableArrayFragment {
    /// Returns the value at `index` as a fragment, which does not exist if `index` is out of range.
    subscript(index: Int) -> MutableFragment { get }
}

/// A type whose values can be accessed by key as fragments that can be set.
public protocol MutableDictionaryFragment {
    /// Returns the value for `key` as a fragment, which does not exist if there is no value.
    subscript(key: String) -> MutableFragment { get }
}
