import DocumentStore

/// A document that can be changed and saved. Not thread-safe: only one thread at a time may use it.
///
/// ```swift
/// let document = MutableDocument(id: "airline_10")
///     .setString("40-Mile Air", forKey: "name")
///     .setBoolean(true, forKey: "active")
/// try collection.save(document: document)
/// ```
///
/// Saving updates the object's ``Document/revisionID`` and ``Document/sequence``, so it can be changed and saved again.
public final class MutableDocument: Document, MutableDictionaryProtocol, ValueHolder, @unchecked Sendable {
    // Unchecked, like `Document`: a document that is changed must be used by one thread at a time, as the API documents.
    /// The document that this one is a mutable copy of; `nil` if it was created as a new document.
    var original: Document?
    /// State that an extension of the API keeps with the document; usually `nil`.
    var attachment: AnyObject?

    /// Creates an empty document with a generated ID.
    public convenience init() { self.init(id: nil) }

    /// Creates an empty document.
    ///
    /// - Parameter id: 1 to 240 bytes of UTF-8 without control characters, not starting with `_`; saving a document with an invalid ID
    ///   throws ``CBLError/badDocID``. If `nil`, an ID is generated.
    public init(id: String?) { super.init(id: id ?? DocumentIdentifier.generate(), DictionaryContents(isMutable: true)) }

    /// Creates a document with a generated ID and the values of `data`; see ``setData(_:)``.
    public convenience init(data: [String: Any]?) { self.init(id: nil, data: data) }

    /// Creates a document with a generated ID and the values of a JSON object.
    ///
    /// - Throws: ``CBLError/invalidJSON`` if `json` is not a JSON object.
    public convenience init(json: String) throws { try self.init(id: nil, json: json) }

    /// Creates a document with the values of `data`.
    ///
    /// - Parameters:
    ///   - id: The ID, see ``init(id:)``. If `nil`, an ID is generated.
    ///   - data: The values, see ``setData(_:)``; `nil` creates an empty document.
    public init(id: String?, data: [String: Any]?) { super.init(id: id ?? DocumentIdentifier.generate(), DictionaryContents(data)) }

    /// Creates a document with the values of a JSON object.
    ///
    /// - Parameters:
    ///   - id: The ID, see ``init(id:)``. If `nil`, an ID is generated.
    ///   - json: The text of a JSON object.
    /// - Throws: ``CBLError/invalidJSON`` if `json` is not a JSON object.
    public init(id: String?, json: String) throws {
        super.init(id: id ?? DocumentIdentifier.generate(), try DictionaryContents(json: json))
    }

    /// Creates a mutable copy of `original`.
    init(_ original: Document) {
        self.original = original
        super.init(id: original.id, original.contents.mutableCopy(), original: original)
    }

    /// Returns this document itself, not a copy.
    override public func toMutable() -> MutableDocument { self }

    // MARK: Values

    /// Returns the array for `key`; `nil` if the value is missing or is not an array. Changing it changes this document.
    override public func array(forKey key: String) -> MutableArrayObject? { super.array(forKey: key) as? MutableArrayObject }

    /// Returns the dictionary for `key`; `nil` if the value is missing or is not a dictionary. Changing it changes this document.
    override public func dictionary(forKey key: String) -> MutableDictionaryObject? {
        super.dictionary(forKey: key) as? MutableDictionaryObject
    }

    /// Returns a fragment that represents the value for `key`, which may be missing. It and values nested in it can be set.
    override public subscript(key: String) -> MutableFragment { MutableFragment(dictionary: self, key: key) }

    /// Replaces all values by those of `data`; `nil` removes all values.
    ///
    /// Values may be strings, numbers, booleans, `NSNumber`, `NSNull`, `Date`, `Data`, ``Blob``, ``ArrayObject``, ``DictionaryObject``,
    /// `nil`, and arrays and dictionaries of these. A value of any other type is a programming error and ends the process;
    /// for values that may be of another type, use ``MutableDictionaryProtocol/setData(validating:)``.
    @discardableResult
    public func setData(_ data: [String: Any]?) -> Self {
        contents = DictionaryContents(data)
        return self
    }

    /// Replaces all values by those of a JSON object.
    ///
    /// - Throws: ``CBLError/invalidJSON`` if `json` is not a JSON object. The document is unchanged then.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        contents = try DictionaryContents(json: json)
        return self
    }

    /// Removes the value for `key`. Does nothing if there is none.
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

    /// Not available: calling this is a programming error and ends the process, because only stored documents have a JSON form.
    override public func toJSON() -> String { _CBLMisuse.inconsistency("toJSON() cannot be called on a mutable document.") }

    @discardableResult
    func hold(_ value: consuming PropertyValue, forKey key: String) -> Self {
        contents.set(value, forKey: key)
        return self
    }
}
