import Fleece

/// An array that can be changed. Not safe to use from several threads at once.
///
/// What is set in a document stays connected with it: later changes of the array are saved with the document.
public final class MutableArrayObject: ArrayObject, MutableArrayProtocol, @unchecked Sendable {
    /// An empty array.
    public init() {
        super.init(ArrayContents(isMutable: true))
    }

    /// An array with the values of `data`; see ``setData(_:)``.
    public init(data: [Any]?) {
        super.init(ArrayContents(data))
    }

    /// An array with the values of a JSON array; see ``setJSON(_:)``.
    public init(json: String) throws {
        super.init(try ArrayContents(json: json))
    }

    /// Changes over the stored array `value`, which must be a part of the source's data.
    init(source: FleeceSource, value: Value) {
        super.init(source: source, value: value, isMutable: true)
    }

    override init(_ contents: consuming ArrayContents) {
        super.init(contents)
    }

    /// The array at `index`; nil when there is none. Changes in it are changes in this.
    override public func array(at index: Int) -> MutableArrayObject? {
        super.array(at: index) as? MutableArrayObject
    }

    /// The dictionary at `index`; nil when there is none. Changes in it are changes in this.
    override public func dictionary(at index: Int) -> MutableDictionaryObject? {
        super.dictionary(at: index) as? MutableDictionaryObject
    }

    /// The value at `index`, which need not exist, as a step of a path that can be set.
    override public subscript(index: Int) -> MutableFragment {
        MutableFragment(array: self, index: index)
    }

    /// Replaces all values; nil removes them. See ``MutableDictionaryObject/setData(_:)`` for the types that are allowed.
    @discardableResult
    public func setData(_ data: [Any]?) -> Self {
        let new = ArrayContents(data)
        if new.holds(self) { PropertyValue.failInsideItself() }
        contents = new
        return self
    }

    /// Replaces all values by those of a JSON array.
    ///
    /// - Throws: An error with the code ``CBLError/invalidJSON`` when `json` is anything else; nothing is changed then.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        contents = try ArrayContents(json: json)
        return self
    }

    /// Removes the value at `index`.
    @discardableResult
    public func removeValue(at index: Int) -> Self {
        checkIndex(index, below: count)
        contents.remove(at: index)
        return self
    }

    /// Always a misuse: only what is stored has a JSON form.
    override public func toJSON() -> String {
        _CBLMisuse.inconsistency("toJSON is not for mutable arrays.")
    }

    func replace(_ value: PropertyValue, at index: Int) -> Self {
        checkIndex(index, below: count)
        value.mustNotContain(self)
        contents.set(value, at: index)
        return self
    }

    func append(_ value: PropertyValue) -> Self {
        value.mustNotContain(self)
        contents.append(value)
        return self
    }

    func insert(_ value: PropertyValue, at index: Int) -> Self {
        checkIndex(index, below: count + 1)
        value.mustNotContain(self)
        contents.insert(value, at: index)
        return self
    }
}
