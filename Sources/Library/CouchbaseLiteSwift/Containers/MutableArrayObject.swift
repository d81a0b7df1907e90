import Fleece

/// An array that can be changed. Not thread-safe: concurrent use needs external locking.
///
/// An array that was set in a document remains connected to it: later changes to the array are saved with the document.
/// Setting an array or dictionary inside itself is a programming error, which traps.
///
/// The first change of an array that was read from a document is O(*n*), where *n* is the number of values.
public final class MutableArrayObject: ArrayObject, MutableArrayProtocol, @unchecked Sendable {
    /// Creates an empty array.
    public init() { super.init(ArrayContents(isMutable: true)) }

    /// Creates an array with the values of `data`; see ``setData(_:)``.
    public init(data: [Any]?) { super.init(ArrayContents(data)) }

    /// Creates an array with the values of a JSON array; see ``setJSON(_:)``.
    ///
    /// - Throws: ``CBLError/invalidJSON`` if `json` is not a JSON array that can be stored.
    public init(json: String) throws { super.init(try ArrayContents(json: json)) }

    /// Creates an array for changes over the encoded array `value`, which must be part of the source's data.
    init(source: FleeceSource, value: Value) { super.init(source: source, value: value, isMutable: true) }

    override init(_ contents: consuming ArrayContents) { super.init(contents) }

    /// Returns the array at `index`; `nil` if the value is not an array. Changing it changes this array.
    override public func array(at index: Int) -> MutableArrayObject? { super.array(at: index) as? MutableArrayObject }

    /// Returns the dictionary at `index`; `nil` if the value is not a dictionary. Changing it changes this array.
    override public func dictionary(at index: Int) -> MutableDictionaryObject? { super.dictionary(at: index) as? MutableDictionaryObject }

    /// Returns the value at `index` as a fragment that can be set. It does not exist if `index` is out of range.
    override public subscript(index: Int) -> MutableFragment { MutableFragment(array: self, index: index) }

    /// Replaces all values; `nil` removes them.
    ///
    /// - Parameter data: The new values; see ``MutableDictionaryObject/setData(_:)`` for the types that are allowed.
    /// - Complexity: O(*n*), where *n* is the number of values at all levels.
    @discardableResult
    public func setData(_ data: [Any]?) -> Self {
        let new = ArrayContents(data)
        if new.holds(self) { PropertyValue.failInsideItself() }
        contents = new
        return self
    }

    /// Replaces all values with those of a JSON array.
    ///
    /// - Throws: ``CBLError/invalidJSON`` if `json` is not a JSON array that can be stored; then nothing is changed.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        contents = try ArrayContents(json: json)
        return self
    }

    /// Removes the value at `index`. An index out of range is a programming error, which traps.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    @discardableResult
    public func removeValue(at index: Int) -> Self {
        checkIndex(index, below: count)
        contents.change { $0.remove(at: index) }
        return self
    }

    /// Always traps: a mutable array cannot be converted to JSON, and calling this is a programming error.
    override public func toJSON() -> String { _CBLMisuse.inconsistency("toJSON() cannot be called on a mutable array.") }

    @discardableResult
    func replace(_ value: PropertyValue, at index: Int) -> Self {
        checkIndex(index, below: count)
        value.mustNotContain(self)
        contents.change { $0[index] = value }
        return self
    }

    func append(_ value: consuming PropertyValue) -> Self {
        value.mustNotContain(self)
        contents.append(value)
        return self
    }

    func insert(_ value: PropertyValue, at index: Int) -> Self {
        checkIndex(index, below: count + 1)
        value.mustNotContain(self)
        contents.change { $0.insert(value, at: index) }
        return self
    }
}
