import DocumentStore

/// A document that can be changed and saved. Not safe to use from several threads at once.
///
/// ```swift
/// let document = MutableDocument(id: "airline_10")
///     .setString("40-Mile Air", forKey: "name")
///     .setBoolean(true, forKey: "active")
/// try collection.save(document: document)
/// ```
///
/// After it was saved the same object carries the new revision, and can be changed and saved again.
public final class MutableDocument: Document, MutableDictionaryProtocol, @unchecked Sendable {
    /// What changes were made over: the document that this was made of.
    var original: Document?
    /// What only the previews' functions need; mostly nil.
    var deprecatedState: DeprecatedState?

    /// An empty document with a generated ID.
    public convenience init() {
        self.init(id: nil)
    }

    /// An empty document; nil generates an ID.
    public init(id: String?) {
        super.init(id: id ?? DocumentIdentifier.generate(), DictionaryContents(isMutable: true))
    }

    /// A document with a generated ID and the values of `data`; see ``setData(_:)``.
    public convenience init(data: [String: Any]?) {
        self.init(id: nil, data: data)
    }

    /// A document with a generated ID and the values of a JSON object; see ``setJSON(_:)``.
    public convenience init(json: String) throws {
        try self.init(id: nil, json: json)
    }

    /// A document with the values of `data`; see ``setData(_:)``. An ID of nil generates one.
    public init(id: String?, data: [String: Any]?) {
        super.init(id: id ?? DocumentIdentifier.generate(), DictionaryContents(data))
    }

    /// A document with the values of a JSON object; see ``setJSON(_:)``. An ID of nil generates one.
    public init(id: String?, json: String) throws {
        super.init(id: id ?? DocumentIdentifier.generate(), try DictionaryContents(json: json))
    }

    /// Changes over `original`.
    init(_ original: Document) {
        self.original = original
        super.init(id: original.id, original.contents.mutableCopy(), original: original)
    }

    /// This document itself.
    override public func toMutable() -> MutableDocument { self }

    // MARK: Values

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
        contents = DictionaryContents(data)
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
        _CBLMisuse.inconsistency("toJSON is not for mutable documents.")
    }

    private func hold(_ value: PropertyValue, forKey key: String) -> Self {
        contents.set(value, forKey: key)
        return self
    }
}
