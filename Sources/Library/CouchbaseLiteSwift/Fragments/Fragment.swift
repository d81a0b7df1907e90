/// A value at a path in a document, as in `document["geo"]["alt"].int`.
///
/// If there is no value at the path, the fragment does not exist: ``value`` is `nil`, and the typed properties are `nil`, zero or `false`.
///
/// A fragment reads the value each time, so it reflects later changes to a mutable container.
public class Fragment: FragmentProtocol, ArrayFragment, DictionaryFragment {
    enum Location {
        case none
        case key(any DictionaryProtocol, String)
        case index(any ArrayProtocol, Int)
    }

    private let path: Location

    /// The current location of the value: an array may have changed since the fragment was created.
    final var location: Location {
        if case .index(let array, let index) = path, !array.indices.contains(index) { return .none }
        return path
    }

    /// Creates a fragment that does not exist.
    init() { path = .none }

    init(dictionary: any DictionaryProtocol, key: String) { path = .key(dictionary, key) }

    /// Creates a fragment that does not exist while `index` is out of range.
    init(array: any ArrayProtocol, index: Int) { path = .index(array, index) }

    /// Whether there is a value, which may be null.
    public var exists: Bool { value != nil }

    // MARK: Typed values, which `FragmentProtocol` documents

    public var value: Any? { read(nil, { $0.value(forKey: $1) }, { $0.value(at: $1) }) }
    public var string: String? { read(nil, { $0.string(forKey: $1) }, { $0.string(at: $1) }) }
    public var number: NSNumber? { read(nil, { $0.number(forKey: $1) }, { $0.number(at: $1) }) }
    public var int: Int { read(0, { $0.int(forKey: $1) }, { $0.int(at: $1) }) }
    public var int64: Int64 { read(0, { $0.int64(forKey: $1) }, { $0.int64(at: $1) }) }
    public var float: Float { read(0, { $0.float(forKey: $1) }, { $0.float(at: $1) }) }
    public var double: Double { read(0, { $0.double(forKey: $1) }, { $0.double(at: $1) }) }
    public var boolean: Bool { read(false, { $0.boolean(forKey: $1) }, { $0.boolean(at: $1) }) }
    public var date: Date? { read(nil, { $0.date(forKey: $1) }, { $0.date(at: $1) }) }
    public var blob: Blob? { read(nil, { $0.blob(forKey: $1) }, { $0.blob(at: $1) }) }
    public var array: ArrayObject? { read(nil, { $0.array(forKey: $1) }, { $0.array(at: $1) }) }
    public var dictionary: DictionaryObject? { read(nil, { $0.dictionary(forKey: $1) }, { $0.dictionary(at: $1) }) }

    /// Returns what `ofKey` or `ofIndex` reads at the current location; `missing` if there is none.
    private func read<Value>(
        _ missing: Value,
        _ ofKey: (any DictionaryProtocol, String) -> Value,
        _ ofIndex: (any ArrayProtocol, Int) -> Value
    ) -> Value {
        switch location {
        case .none: missing
        case .key(let dictionary, let key): ofKey(dictionary, key)
        case .index(let array, let index): ofIndex(array, index)
        }
    }

    /// Returns the value at `index` of the array at this path; the fragment does not exist if there is no such value.
    public subscript(index: Int) -> Fragment { array.map { $0[index] } ?? Fragment() }

    /// Returns the value for `key` of the dictionary at this path; the fragment does not exist if there is no such value.
    public subscript(key: String) -> Fragment { dictionary.map { $0[key] } ?? Fragment() }
}

extension ArrayProtocol {
    /// The valid indices.
    var indices: Range<Int> { 0..<count }
}

/// A document that may or may not exist, as in `collection["airline_10"]["name"].string`.
public final class DocumentFragment: DictionaryFragment, Sendable {
    /// The document; `nil` if it does not exist.
    public let document: Document?

    init(_ document: Document?) { self.document = document }

    /// Whether the document exists.
    public var exists: Bool { document != nil }

    /// Returns the value for `key` as a ``Fragment``, which does not exist if the document or the value is missing.
    public subscript(key: String) -> Fragment { document.map { $0[key] } ?? Fragment() }
}
