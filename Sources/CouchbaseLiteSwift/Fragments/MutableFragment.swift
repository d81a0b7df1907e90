/// A step of a path into a mutable document, which can be set, as in `document["geo"]["alt"].int = 12`.
///
/// Setting what a path leads to sets it in the dictionary or array before it; under a key that is missing it is inserted.
/// When a step before the last leads nowhere, or an index is out of range, setting does nothing.
public final class MutableFragment: Fragment, MutableFragmentProtocol, MutableDictionaryFragment, MutableArrayFragment {
    /// What is set.
    private enum Target {
        case none
        case key(any MutableDictionaryProtocol, String)
        case index(any MutableArrayProtocol, Int)
    }

    private let path: Target

    /// What is set now: an array may have changed since the fragment was made.
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

    /// Leads nowhere while `index` is out of range.
    init(array: any MutableArrayProtocol, index: Int) {
        path = .index(array, index)
        super.init(array: array, index: index)
    }

    /// The value; nil when there is none.
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

    /// The string; nil when there is none.
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

    /// The number or boolean; nil when there is none.
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

    /// The number, truncated towards zero and clamped; 1 for true; else 0.
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

    /// The number, truncated towards zero and clamped; 1 for true; else 0.
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

    /// The number; 1 for true; else 0.
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

    /// The number; 1 for true; else 0.
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

    /// Whether the value is anything but false, zero, null or absent.
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

    /// The date that the string says in ISO-8601; nil when there is none.
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

    /// The blob; nil when there is none.
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

    /// The array; nil when there is none.
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

    /// The dictionary; nil when there is none.
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

    /// The value at `index` of the array that is here.
    override public subscript(index: Int) -> MutableFragment {
        array.map { $0[index] } ?? MutableFragment()
    }

    /// The value under `key` of the dictionary that is here.
    override public subscript(key: String) -> MutableFragment {
        dictionary.map { $0[key] } ?? MutableFragment()
    }
}
