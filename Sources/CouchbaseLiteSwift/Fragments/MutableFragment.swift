/// A value at a path in a mutable document, which can be set, as in `document["geo"]["alt"].int = 12`.
///
/// Setting a value sets it in the dictionary or array that contains it; a missing key is added. If a step before the
/// last one does not exist, or an index is out of range, setting does nothing.
public final class MutableFragment: Fragment, MutableFragmentProtocol, MutableDictionaryFragment, MutableArrayFragment {
    /// The location that is set.
    private enum Target {
        case none
        case key(any MutableDictionaryProtocol, String)
        case index(any MutableArrayProtocol, Int)
    }

    private let path: Target

    /// The current location that is set: an array may have changed since the fragment was created.
    private var target: Target {
        if case .index(let array, let index) = path, !array.indices.contains(index) { return .none }
        return path
    }

    override init() {
        path = .none
        super.init()
    }

    init(dictionary: any MutableDictionaryProtocol, key: String) {
        path = .key(dictionary, key)
        super.init(dictionary: dictionary, key: key)
    }

    /// Creates a fragment that does not exist while `index` is out of range.
    init(array: any MutableArrayProtocol, index: Int) {
        path = .index(array, index)
        super.init(array: array, index: index)
    }

    /// The value; `nil` if there is none. Setting `nil` sets null. See ``MutableDictionaryObject/setData(_:)`` for the
    /// types that are allowed.
    override public var value: Any? {
        get { super.value }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setValue(newValue, forKey: key)
            case .index(let array, let index): array.setValue(newValue, at: index)
            }
        }
    }

    /// The string; `nil` if the value is missing or not a string. Setting `nil` sets null.
    override public var string: String? {
        get { super.string }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setString(newValue, forKey: key)
            case .index(let array, let index): array.setString(newValue, at: index)
            }
        }
    }

    /// The number or boolean; `nil` if the value is missing or neither. Setting `nil` sets null.
    override public var number: NSNumber? {
        get { super.number }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setNumber(newValue, forKey: key)
            case .index(let array, let index): array.setNumber(newValue, at: index)
            }
        }
    }

    /// The number, truncated towards zero and clamped to the range of `Int`; 1 for `true`; 0 for any other or a missing
    /// value.
    override public var int: Int {
        get { super.int }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setInt(newValue, forKey: key)
            case .index(let array, let index): array.setInt(newValue, at: index)
            }
        }
    }

    /// The number, truncated towards zero and clamped to the range of `Int64`; 1 for `true`; 0 for any other or a
    /// missing value.
    override public var int64: Int64 {
        get { super.int64 }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setInt64(newValue, forKey: key)
            case .index(let array, let index): array.setInt64(newValue, at: index)
            }
        }
    }

    /// The number, rounded to `Float`; 1 for `true`; 0 for any other or a missing value.
    override public var float: Float {
        get { super.float }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setFloat(newValue, forKey: key)
            case .index(let array, let index): array.setFloat(newValue, at: index)
            }
        }
    }

    /// The number, rounded to `Double`; 1 for `true`; 0 for any other or a missing value.
    override public var double: Double {
        get { super.double }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setDouble(newValue, forKey: key)
            case .index(let array, let index): array.setDouble(newValue, at: index)
            }
        }
    }

    /// `false` if the value is `false`, zero, null or missing; `true` for any other value.
    override public var boolean: Bool {
        get { super.boolean }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setBoolean(newValue, forKey: key)
            case .index(let array, let index): array.setBoolean(newValue, at: index)
            }
        }
    }

    /// The date of an ISO-8601 string; `nil` if the value is missing or not such a string. A time without a time zone
    /// is in the local time zone. Dates are stored in UTC with milliseconds; setting `nil` sets null.
    override public var date: Date? {
        get { super.date }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setDate(newValue, forKey: key)
            case .index(let array, let index): array.setDate(newValue, at: index)
            }
        }
    }

    /// The blob; `nil` if the value is missing or not a blob. Setting `nil` sets null.
    override public var blob: Blob? {
        get { super.blob }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setBlob(newValue, forKey: key)
            case .index(let array, let index): array.setBlob(newValue, at: index)
            }
        }
    }

    /// The array; `nil` if the value is missing or not an array. Setting `nil` sets null; a mutable array is shared
    /// with the caller.
    override public var array: MutableArrayObject? {
        get { super.array as? MutableArrayObject }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setArray(newValue, forKey: key)
            case .index(let array, let index): array.setArray(newValue, at: index)
            }
        }
    }

    /// The dictionary; `nil` if the value is missing or not a dictionary. Setting `nil` sets null; a mutable dictionary
    /// is shared with the caller.
    override public var dictionary: MutableDictionaryObject? {
        get { super.dictionary as? MutableDictionaryObject }
        set {
            switch target {
            case .none: break
            case .key(let dictionary, let key): dictionary.setDictionary(newValue, forKey: key)
            case .index(let array, let index): array.setDictionary(newValue, at: index)
            }
        }
    }

    /// Returns the value at `index` of the array at this path; the fragment does not exist if there is no such value.
    override public subscript(index: Int) -> MutableFragment {
        array.map { $0[index] } ?? MutableFragment()
    }

    /// Returns the value for `key` of the dictionary at this path; the fragment does not exist if there is no such
    /// value.
    override public subscript(key: String) -> MutableFragment {
        dictionary.map { $0[key] } ?? MutableFragment()
    }
}
