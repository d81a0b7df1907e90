import Fleece

/// A dictionary that can be changed. Not safe to use from several threads at once.
///
/// What is set in a document stays connected with it: later changes of the dictionary are saved with the document.
public final class MutableDictionaryObject: DictionaryObject, MutableDictionaryProtocol, @unchecked Sendable {
    /// An empty dictionary.
    public init() {
        super.init(DictionaryContents(isMutable: true))
    }

    /// A dictionary with the values of `data`; see ``setData(_:)``.
    public init(data: [String: Any]?) {
        super.init(DictionaryContents(data))
    }

    /// A dictionary with the values of a JSON object; see ``setJSON(_:)``.
    public init(json: String) throws {
        super.init(try DictionaryContents(json: json))
    }

    /// Changes over the stored dictionary `value`, which must be a part of the source's data.
    init(source: FleeceSource, value: Value) {
        super.init(source: source, value: value, isMutable: true)
    }

    override init(_ contents: consuming DictionaryContents) {
        super.init(contents)
    }

    /// The array under `key`; nil when there is none. Changes in it are changes in this.
    override public func array(forKey key: String) -> MutableArrayObject? {
        super.array(forKey: key) as? MutableArrayObject
    }

    /// The dictionary under `key`; nil when there is none. Changes in it are changes in this.
    override public func dictionary(forKey key: String) -> MutableDictionaryObject? {
        super.dictionary(forKey: key) as? MutableDictionaryObject
    }

    /// The value under `key`, which need not exist, as a step of a path that can be set.
    override public subscript(key: String) -> MutableFragment {
        MutableFragment(dictionary: self, key: key)
    }

    /// Replaces all values; nil removes them.
    ///
    /// Values may be strings, numbers, booleans, `NSNumber`, `NSNull`, `Date`, `Data`, ``Blob``, ``ArrayObject``,
    /// ``DictionaryObject``, arrays and dictionaries of such, and nil; anything else is a misuse.
    @discardableResult
    public func setData(_ data: [String: Any]?) -> Self {
        let new = DictionaryContents(data)
        if new.holds(self) { PropertyValue.failInsideItself() }
        contents = new
        return self
    }

    /// Replaces all values by those of a JSON object.
    ///
    /// - Throws: An error with the code ``CBLError/invalidJSON`` when `json` is anything else; nothing is changed then.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        contents = try DictionaryContents(json: json)
        return self
    }

    /// Removes the value under `key`, if there is one.
    @discardableResult
    public func removeValue(forKey key: String) -> Self {
        contents.set(nil, forKey: key)
        return self
    }

    /// Sets the value under `key`; nil sets null. See ``setData(_:)`` for the types that are allowed.
    @discardableResult
    public func setValue(_ value: Any?, forKey key: String) -> Self {
        hold(PropertyValue(value), forKey: key)
    }

    /// Sets the string, or null under `key`.
    @discardableResult
    public func setString(_ value: String?, forKey key: String) -> Self {
        hold(PropertyValue(value), forKey: key)
    }

    /// Sets the number, or null under `key`.
    @discardableResult
    public func setNumber(_ value: NSNumber?, forKey key: String) -> Self {
        hold(PropertyValue(value), forKey: key)
    }

    /// Sets the integer under `key`.
    @discardableResult
    public func setInt(_ value: Int, forKey key: String) -> Self {
        hold(.integer(Int64(value)), forKey: key)
    }

    /// Sets the integer under `key`.
    @discardableResult
    public func setInt64(_ value: Int64, forKey key: String) -> Self {
        hold(.integer(value), forKey: key)
    }

    /// Sets the number under `key`.
    @discardableResult
    public func setDouble(_ value: Double, forKey key: String) -> Self {
        hold(.double(value), forKey: key)
    }

    /// Sets the number under `key`.
    @discardableResult
    public func setFloat(_ value: Float, forKey key: String) -> Self {
        hold(.float(value), forKey: key)
    }

    /// Sets the boolean under `key`.
    @discardableResult
    public func setBoolean(_ value: Bool, forKey key: String) -> Self {
        hold(.boolean(value), forKey: key)
    }

    /// Sets the date as ISO-8601 text, or null under `key`.
    @discardableResult
    public func setDate(_ value: Date?, forKey key: String) -> Self {
        hold(PropertyValue(value), forKey: key)
    }

    /// Sets the blob, or null under `key`.
    @discardableResult
    public func setBlob(_ value: Blob?, forKey key: String) -> Self {
        hold(PropertyValue(value), forKey: key)
    }

    /// Sets the array, or null; a mutable one is held itself, of another a copy under `key`.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forKey key: String) -> Self {
        hold(PropertyValue(value), forKey: key)
    }

    /// Sets the dictionary, or null; a mutable one is held itself, of another a copy under `key`.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self {
        hold(PropertyValue(value), forKey: key)
    }

    /// Always a misuse: only what is stored has a JSON form.
    override public func toJSON() -> String {
        _CBLMisuse.inconsistency("toJSON is not for mutable dictionaries.")
    }

    private func hold(_ value: PropertyValue, forKey key: String) -> Self {
        value.mustNotContain(self)
        contents.set(value, forKey: key)
        return self
    }
}
