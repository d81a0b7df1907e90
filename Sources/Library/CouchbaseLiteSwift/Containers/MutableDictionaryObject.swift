import Fleece

/// A dictionary that can be changed. Not thread-safe: concurrent use needs external locking.
///
/// A dictionary that was set in a document remains connected to it: later changes to the dictionary are saved with the
/// document. Setting an array or dictionary inside itself is a programming error, which traps.
public final class MutableDictionaryObject: DictionaryObject, MutableDictionaryProtocol, ValueHolder, @unchecked Sendable {
    /// Creates an empty dictionary.
    public init() { super.init(DictionaryContents(isMutable: true)) }

    /// Creates a dictionary with the values of `data`; see ``setData(_:)``.
    public init(data: [String: Any]?) { super.init(DictionaryContents(data)) }

    /// Creates a dictionary with the values of a JSON object; see ``setJSON(_:)``.
    ///
    /// - Throws: ``CBLError/invalidJSON`` if `json` is not a JSON object that can be stored.
    public init(json: String) throws { super.init(try DictionaryContents(json: json)) }

    /// Creates a dictionary for changes over the encoded dictionary `value`, which must be part of the source's data.
    init(source: FleeceSource, value: Value) { super.init(source: source, value: value, isMutable: true) }

    override init(_ contents: consuming DictionaryContents) { super.init(contents) }

    /// Returns the array for `key`; `nil` if the value is missing or not an array. Changing it changes this dictionary.
    override public func array(forKey key: String) -> MutableArrayObject? { super.array(forKey: key) as? MutableArrayObject }

    /// Returns the dictionary for `key`; `nil` if the value is missing or not a dictionary. Changing it changes this dictionary.
    override public func dictionary(forKey key: String) -> MutableDictionaryObject? {
        super.dictionary(forKey: key) as? MutableDictionaryObject
    }

    /// Returns the value for `key` as a fragment that can be set. It does not exist if there is no value.
    override public subscript(key: String) -> MutableFragment { MutableFragment(dictionary: self, key: key) }

    /// Replaces all values; `nil` removes them.
    ///
    /// - Parameter data: The new values: strings, numbers, booleans, `NSNumber`, `NSNull`, `Date`, `Data`, ``Blob``, ``ArrayObject``,
    ///   ``DictionaryObject``, arrays and dictionaries of such values, and `nil`. Any other type is a programming error, which traps;
    ///   for values that may be of another type, use ``MutableDictionaryProtocol/setData(validating:)``. Values that are nested too deeply are accepted, but then the document cannot be saved.
    /// - Complexity: O(*n* log *n*), where *n* is the number of values at all levels.
    @discardableResult
    public func setData(_ data: [String: Any]?) -> Self {
        let new = DictionaryContents(data)
        if new.holds(self) { PropertyValue.failInsideItself() }
        contents = new
        return self
    }

    /// Replaces all values with those of a JSON object.
    ///
    /// - Throws: ``CBLError/invalidJSON`` if `json` is not a JSON object that can be stored; then nothing is changed.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        contents = try DictionaryContents(json: json)
        return self
    }

    /// Removes the value for `key`; does nothing if there is none.
    @discardableResult
    public func removeValue(forKey key: String) -> Self {
        contents.remove(key)
        return self
    }

    // The setters, which `MutableDictionaryProtocol` documents.

    @discardableResult public func setValue(_ value: Any?, forKey key: String) -> Self { hold(PropertyValue(value), forKey: key) }
    @discardableResult public func setString(_ value: String?, forKey key: String) -> Self { hold(PropertyValue(value), forKey: key) }
    @discardableResult public func setNumber(_ value: NSNumber?, forKey key: String) -> Self { hold(PropertyValue(value), forKey: key) }
    @discardableResult public func setInt(_ value: Int, forKey key: String) -> Self { hold(.integer(Int64(value)), forKey: key) }
    @discardableResult public func setInt64(_ value: Int64, forKey key: String) -> Self { hold(.integer(value), forKey: key) }
    @discardableResult public func setDouble(_ value: Double, forKey key: String) -> Self { hold(.double(value), forKey: key) }
    @discardableResult public func setFloat(_ value: Float, forKey key: String) -> Self { hold(.float(value), forKey: key) }
    @discardableResult public func setBoolean(_ value: Bool, forKey key: String) -> Self { hold(.boolean(value), forKey: key) }
    @discardableResult public func setDate(_ value: Date?, forKey key: String) -> Self { hold(PropertyValue(value), forKey: key) }
    @discardableResult public func setBlob(_ value: Blob?, forKey key: String) -> Self { hold(PropertyValue(value), forKey: key) }
    @discardableResult public func setArray(_ value: ArrayObject?, forKey key: String) -> Self { hold(PropertyValue(value), forKey: key) }
    @discardableResult public func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self {
        hold(PropertyValue(value), forKey: key)
    }

    /// Always traps: a mutable dictionary cannot be converted to JSON, and calling this is a programming error.
    override public func toJSON() -> String { _CBLMisuse.inconsistency("toJSON() cannot be called on a mutable dictionary.") }

    @discardableResult
    func hold(_ value: consuming PropertyValue, forKey key: String) -> Self {
        value.mustNotContain(self)
        contents.set(value, forKey: key)
        return self
    }
}
