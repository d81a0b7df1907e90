/// A value at a path in a mutable document, which can be set, as in `document["geo"]["alt"].int = 12`.
///
/// Setting a value sets it in the dictionary or array that contains it; a missing key is added. If a step before the
/// last one does not exist, or an index is out of range, setting does nothing.
public final class MutableFragment: Fragment, MutableFragmentProtocol, MutableDictionaryFragment, MutableArrayFragment {
    /// The container at the location: one of the two, or none.
    private var dictionaryOfValue: (any ValueHolder)?
    private var arrayOfValue: MutableArrayObject?

    override init() { super.init() }

    init(dictionary: any ValueHolder, key: String) {
        dictionaryOfValue = dictionary
        super.init(dictionary: dictionary, key: key)
    }

    /// Creates a fragment that does not exist while `index` is out of range.
    init(array: MutableArrayObject, index: Int) {
        arrayOfValue = array
        super.init(array: array, index: index)
    }

    // MARK: Typed values, which `MutableFragmentProtocol` documents

    override public var value: Any? {
        get { super.value }
        set { hold(PropertyValue(newValue)) }
    }

    override public var string: String? {
        get { super.string }
        set { hold(PropertyValue(newValue)) }
    }

    override public var number: NSNumber? {
        get { super.number }
        set { hold(PropertyValue(newValue)) }
    }

    override public var int: Int {
        get { super.int }
        set { hold(.integer(Int64(newValue))) }
    }

    override public var int64: Int64 {
        get { super.int64 }
        set { hold(.integer(newValue)) }
    }

    override public var float: Float {
        get { super.float }
        set { hold(.float(newValue)) }
    }

    override public var double: Double {
        get { super.double }
        set { hold(.double(newValue)) }
    }

    override public var boolean: Bool {
        get { super.boolean }
        set { hold(.boolean(newValue)) }
    }

    override public var date: Date? {
        get { super.date }
        set { hold(PropertyValue(newValue)) }
    }

    override public var blob: Blob? {
        get { super.blob }
        set { hold(PropertyValue(newValue)) }
    }

    override public var array: MutableArrayObject? {
        get { super.array as? MutableArrayObject }
        set { hold(PropertyValue(newValue as ArrayObject?)) }
    }

    override public var dictionary: MutableDictionaryObject? {
        get { super.dictionary as? MutableDictionaryObject }
        set { hold(PropertyValue(newValue as DictionaryObject?)) }
    }

    /// Sets the value at the current location; does nothing, and does not convert the value, if there is none.
    private func hold(_ converted: @autoclosure () -> PropertyValue) {
        switch location {
        case .none: break
        case .key(_, let key): dictionaryOfValue?.hold(converted(), forKey: key)
        case .index(_, let index): arrayOfValue?.replace(converted(), at: index)
        }
    }

    /// Returns the value at `index` of the array at this path; the fragment does not exist if there is no such value.
    override public subscript(index: Int) -> MutableFragment { array.map { $0[index] } ?? MutableFragment() }

    /// Returns the value for `key` of the dictionary at this path; the fragment does not exist if there is no such value.
    override public subscript(key: String) -> MutableFragment { dictionary.map { $0[key] } ?? MutableFragment() }
}
