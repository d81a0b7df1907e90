/// A value at a path in a document, as in `document["geo"]["alt"].int`.
///
/// If there is no value at the path, the fragment does not exist: ``value`` is `nil`, and the typed properties are
/// `nil`, zero or `false`.
///
/// A fragment reads the value each time, so it reflects later changes to a mutable container.
public class Fragment: FragmentProtocol, ArrayFragment, DictionaryFragment {
    /// The location of the value.
    private enum Location {
        case none
        case key(any DictionaryProtocol, String)
        case index(any ArrayProtocol, Int)
    }

    private let path: Location

    /// The current location of the value: an array may have changed since the fragment was created.
    private var location: Location {
        if case .index(let array, let index) = path, !array.indices.contains(index) { return .none }
        return path
    }

    /// Creates a fragment that does not exist.
    init() {
        path = .none
    }

    init(dictionary: any DictionaryProtocol, key: String) {
        path = .key(dictionary, key)
    }

    /// Creates a fragment that does not exist while `index` is out of range.
    init(array: any ArrayProtocol, index: Int) {
        path = .index(array, index)
    }

    /// Whether there is a value, which may be null.
    public var exists: Bool { value != nil }

    /// The value; `nil` if there is none.
    public var value: Any? {
        switch location {
        case .none: nil
        case .key(let dictionary, let key): dictionary.value(forKey: key)
        case .index(let array, let index): array.value(at: index)
        }
    }

    /// The string; `nil` if the value is missing or not a string.
    public var string: String? {
        switch location {
        case .none: nil
        case .key(let dictionary, let key): dictionary.string(forKey: key)
        case .index(let array, let index): array.string(at: index)
        }
    }

    /// The number or boolean; `nil` if the value is missing or neither.
    public var number: NSNumber? {
        switch location {
        case .none: nil
        case .key(let dictionary, let key): dictionary.number(forKey: key)
        case .index(let array, let index): array.number(at: index)
        }
    }

    /// The number, truncated towards zero and clamped to the range of `Int`; 1 for `true`; 0 for any other or a missing
    /// value.
    public var int: Int {
        switch location {
        case .none: 0
        case .key(let dictionary, let key): dictionary.int(forKey: key)
        case .index(let array, let index): array.int(at: index)
        }
    }

    /// The number, truncated towards zero and clamped to the range of `Int64`; 1 for `true`; 0 for any other or a
    /// missing value.
    public var int64: Int64 {
        switch location {
        case .none: 0
        case .key(let dictionary, let key): dictionary.int64(forKey: key)
        case .index(let array, let index): array.int64(at: index)
        }
    }

    /// The number, rounded to `Float`; 1 for `true`; 0 for any other or a missing value.
    public var float: Float {
        switch location {
        case .none: 0
        case .key(let dictionary, let key): dictionary.float(forKey: key)
        case .index(let array, let index): array.float(at: index)
        }
    }

    /// The number, rounded to `Double`; 1 for `true`; 0 for any other or a missing value.
    public var double: Double {
        switch location {
        case .none: 0
        case .key(let dictionary, let key): dictionary.double(forKey: key)
        case .index(let array, let index): array.double(at: index)
        }
    }

    /// `false` if the value is `false`, zero, null or missing; `true` for any other value.
    public var boolean: Bool {
        switch location {
        case .none: false
        case .key(let dictionary, let key): dictionary.boolean(forKey: key)
        case .index(let array, let index): array.boolean(at: index)
        }
    }

    /// The date of an ISO-8601 string; `nil` if the value is missing or not such a string. A time without a time zone
    /// is in the local time zone.
    public var date: Date? {
        switch location {
        case .none: nil
        case .key(let dictionary, let key): dictionary.date(forKey: key)
        case .index(let array, let index): array.date(at: index)
        }
    }

    /// The blob; `nil` if the value is missing or not a blob.
    public var blob: Blob? {
        switch location {
        case .none: nil
        case .key(let dictionary, let key): dictionary.blob(forKey: key)
        case .index(let array, let index): array.blob(at: index)
        }
    }

    /// The array; `nil` if the value is missing or not an array.
    public var array: ArrayObject? {
        switch location {
        case .none: nil
        case .key(let dictionary, let key): dictionary.array(forKey: key)
        case .index(let array, let index): array.array(at: index)
        }
    }

    /// The dictionary; `nil` if the value is missing or not a dictionary.
    public var dictionary: DictionaryObject? {
        switch location {
        case .none: nil
        case .key(let dictionary, let key): dictionary.dictionary(forKey: key)
        case .index(let array, let index): array.dictionary(at: index)
        }
    }

    /// Returns the value at `index` of the array at this path; the fragment does not exist if there is no such value.
    public subscript(index: Int) -> Fragment {
        array.map { $0[index] } ?? Fragment()
    }

    /// Returns the value for `key` of the dictionary at this path; the fragment does not exist if there is no such
    /// value.
    public subscript(key: String) -> Fragment {
        dictionary.map { $0[key] } ?? Fragment()
    }
}

extension ArrayProtocol {
    /// The valid indices.
    var indices: Range<Int> { 0..<count }
}
