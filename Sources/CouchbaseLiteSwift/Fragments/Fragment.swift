/// A step of a path into a document, as in `document["geo"]["alt"].int`.
///
/// A path that leads nowhere gives a fragment that does not exist: its ``value`` is nil and the others are nil, zero or
/// false.
public class Fragment: FragmentProtocol, ArrayFragment, DictionaryFragment {
    /// Where the value is.
    private enum Place {
        case none
        case key(any DictionaryProtocol, String)
        case index(any ArrayProtocol, Int)
    }

    private let path: Place

    /// Where the value is now: an array may have changed since the fragment was made.
    private var place: Place {
        if case .index(let array, let index) = path, !array.indices.contains(index) { return .none }
        return path
    }

    /// A path that leads nowhere.
    init() {
        path = .none
    }

    init(dictionary: any DictionaryProtocol, key: String) {
        path = .key(dictionary, key)
    }

    /// Leads nowhere while `index` is out of range.
    init(array: any ArrayProtocol, index: Int) {
        path = .index(array, index)
    }

    /// Whether there is a value, be it null.
    public var exists: Bool { value != nil }

    /// The value; nil when there is none.
    public var value: Any? {
        switch place {
        case .none: nil
        case .key(let dictionary, let key): dictionary.value(forKey: key)
        case .index(let array, let index): array.value(at: index)
        }
    }

    /// The string; nil when there is none.
    public var string: String? {
        switch place {
        case .none: nil
        case .key(let dictionary, let key): dictionary.string(forKey: key)
        case .index(let array, let index): array.string(at: index)
        }
    }

    /// The number or boolean; nil when there is none.
    public var number: NSNumber? {
        switch place {
        case .none: nil
        case .key(let dictionary, let key): dictionary.number(forKey: key)
        case .index(let array, let index): array.number(at: index)
        }
    }

    /// The number, truncated towards zero and clamped; 1 for true; else 0.
    public var int: Int {
        switch place {
        case .none: 0
        case .key(let dictionary, let key): dictionary.int(forKey: key)
        case .index(let array, let index): array.int(at: index)
        }
    }

    /// The number, truncated towards zero and clamped; 1 for true; else 0.
    public var int64: Int64 {
        switch place {
        case .none: 0
        case .key(let dictionary, let key): dictionary.int64(forKey: key)
        case .index(let array, let index): array.int64(at: index)
        }
    }

    /// The number; 1 for true; else 0.
    public var float: Float {
        switch place {
        case .none: 0
        case .key(let dictionary, let key): dictionary.float(forKey: key)
        case .index(let array, let index): array.float(at: index)
        }
    }

    /// The number; 1 for true; else 0.
    public var double: Double {
        switch place {
        case .none: 0
        case .key(let dictionary, let key): dictionary.double(forKey: key)
        case .index(let array, let index): array.double(at: index)
        }
    }

    /// Whether the value is anything but false, zero, null or absent.
    public var boolean: Bool {
        switch place {
        case .none: false
        case .key(let dictionary, let key): dictionary.boolean(forKey: key)
        case .index(let array, let index): array.boolean(at: index)
        }
    }

    /// The date that the string says in ISO-8601; nil when there is none.
    public var date: Date? {
        switch place {
        case .none: nil
        case .key(let dictionary, let key): dictionary.date(forKey: key)
        case .index(let array, let index): array.date(at: index)
        }
    }

    /// The blob; nil when there is none.
    public var blob: Blob? {
        switch place {
        case .none: nil
        case .key(let dictionary, let key): dictionary.blob(forKey: key)
        case .index(let array, let index): array.blob(at: index)
        }
    }

    /// The array; nil when there is none.
    public var array: ArrayObject? {
        switch place {
        case .none: nil
        case .key(let dictionary, let key): dictionary.array(forKey: key)
        case .index(let array, let index): array.array(at: index)
        }
    }

    /// The dictionary; nil when there is none.
    public var dictionary: DictionaryObject? {
        switch place {
        case .none: nil
        case .key(let dictionary, let key): dictionary.dictionary(forKey: key)
        case .index(let array, let index): array.dictionary(at: index)
        }
    }

    /// The value at `index` of the array that is here.
    public subscript(index: Int) -> Fragment {
        array.map { $0[index] } ?? Fragment()
    }

    /// The value under `key` of the dictionary that is here.
    public subscript(key: String) -> Fragment {
        dictionary.map { $0[key] } ?? Fragment()
    }
}

extension ArrayProtocol {
    /// The indices that have a value.
    var indices: Range<Int> { 0..<count }
}
