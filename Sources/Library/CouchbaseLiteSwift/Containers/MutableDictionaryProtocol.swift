/// The interface that mutable documents and dictionaries share. Not thread-safe.
public protocol MutableDictionaryProtocol: DictionaryProtocol, MutableDictionaryFragment {
    /// Sets the value for `key`; `nil` sets null. See ``MutableDictionaryObject/setData(_:)`` for the types that are allowed,
    /// and ``MutableDictionaryProtocol/setValue(validating:forKey:)`` for values that may be of another type.
    @discardableResult func setValue(_ value: Any?, forKey key: String) -> Self
    /// Sets a string for `key`; `nil` sets null.
    @discardableResult func setString(_ value: String?, forKey key: String) -> Self
    /// Sets a number or boolean for `key`; `nil` sets null.
    @discardableResult func setNumber(_ value: NSNumber?, forKey key: String) -> Self
    /// Sets an integer for `key`.
    @discardableResult func setInt(_ value: Int, forKey key: String) -> Self
    /// Sets an integer for `key`.
    @discardableResult func setInt64(_ value: Int64, forKey key: String) -> Self
    /// Sets a floating-point number for `key`.
    @discardableResult func setDouble(_ value: Double, forKey key: String) -> Self
    /// Sets a floating-point number for `key`.
    @discardableResult func setFloat(_ value: Float, forKey key: String) -> Self
    /// Sets a boolean for `key`.
    @discardableResult func setBoolean(_ value: Bool, forKey key: String) -> Self
    /// Sets a date for `key`, stored as an ISO-8601 string in UTC with milliseconds; `nil` sets null.
    @discardableResult func setDate(_ value: Date?, forKey key: String) -> Self
    /// Sets a blob for `key`; `nil` sets null. The content is stored when the document is saved.
    @discardableResult func setBlob(_ value: Blob?, forKey key: String) -> Self
    /// Sets an array for `key`; `nil` sets null. A mutable array is shared with the caller, so that its
    /// later changes also change this container; an immutable one is copied.
    @discardableResult func setArray(_ value: ArrayObject?, forKey key: String) -> Self
    /// Sets a dictionary for `key`; `nil` sets null. A mutable dictionary is shared with the caller, so that
    /// its later changes also change this container; an immutable one is copied.
    @discardableResult func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self
    /// Replaces all values; `nil` removes them.
    @discardableResult func setData(_ data: [String: Any]?) -> Self
    /// Replaces all values with those of a JSON object.
    ///
    /// - Throws: ``CBLError/invalidJSON`` if `json` is not a JSON object that can be stored; then nothing is changed.
    @discardableResult func setJSON(_ json: String) throws -> Self
    /// Removes the value for `key`; does nothing if there is none.
    @discardableResult func removeValue(forKey key: String) -> Self
    /// Returns the array for `key`; `nil` if the value is missing or not an array. Changing it changes this container.
    func array(forKey key: String) -> MutableArrayObject?
    /// Returns the dictionary for `key`; `nil` if the value is missing or not a dictionary. Changing it changes this container.
    func dictionary(forKey key: String) -> MutableDictionaryObject?
}

/// A mutable document or dictionary, to which a ``MutableFragment`` passes the values that are set through it.
protocol ValueHolder: MutableDictionaryProtocol {
    /// Sets `value` for `key`.
    @discardableResult func hold(_ value: PropertyValue, forKey key: String) -> Self
}
