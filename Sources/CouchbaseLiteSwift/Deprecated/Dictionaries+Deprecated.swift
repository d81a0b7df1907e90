// The value access of the developer previews. The subscripts are disfavored overloads: where the type is not specified, `dictionary["key"]`
// is a fragment.

extension DictionaryProtocol {
    /// All values as plain Swift values; see ``toDictionary()``.
    ///
    /// - Complexity: O(*n*) in the size of the dictionary.
    @available(*, deprecated, message: "Use toDictionary()")
    public var properties: [String: Any] { toDictionary() }

    /// Returns the string for `key`; `nil` if there is none.
    @available(*, deprecated, message: "Use string(forKey:)")
    public func getString(_ key: String) -> String? { string(forKey: key) }

    /// Returns the value for `key`; `nil` if there is none.
    @available(*, deprecated, message: "Use value(forKey:)")
    public func object(forKey key: String) -> Any? { value(forKey: key) }
}

extension MutableDictionaryProtocol {
    /// All values as plain Swift values. Setting the property replaces all values.
    ///
    /// - Complexity: O(*n*) in the size of the dictionary.
    @available(*, deprecated, message: "Use toDictionary() and setData(_:)")
    public var properties: [String: Any] {
        get { toDictionary() }
        nonmutating set { setData(newValue) }
    }

    /// Sets the value for `key`.
    @available(*, deprecated, message: "Use setValue(_:forKey:)")
    public func setObject(_ object: Any?, forKey key: String) { setValue(object, forKey: key) }

    /// The value for `key`; `nil` if there is none. Setting `nil` stores null.
    @available(*, deprecated, message: "Use value(forKey:) and setValue(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        nonmutating set { setValue(newValue, forKey: key) }
    }

    /// The string for `key`; `nil` if there is none. Setting `nil` stores null.
    @available(*, deprecated, message: "Use string(forKey:) and setString(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> String? {
        get { string(forKey: key) }
        nonmutating set { setString(newValue, forKey: key) }
    }

    /// The date for `key`; `nil` if there is none. Setting `nil` stores null.
    @available(*, deprecated, message: "Use date(forKey:) and setDate(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Date? {
        get { date(forKey: key) }
        nonmutating set { setDate(newValue, forKey: key) }
    }

    /// The blob for `key`; `nil` if there is none. Setting `nil` stores null.
    @available(*, deprecated, message: "Use blob(forKey:) and setBlob(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Blob? {
        get { blob(forKey: key) }
        nonmutating set { setBlob(newValue, forKey: key) }
    }

    /// The dictionary for `key`; `nil` if there is none. Changing it changes this object. Setting `nil` stores null.
    @available(*, deprecated, message: "Use dictionary(forKey:) and setDictionary(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> MutableDictionaryObject? {
        get { dictionary(forKey: key) }
        nonmutating set { setDictionary(newValue, forKey: key) }
    }

    /// Whether the value for `key` is anything but false, zero, null or missing.
    @available(*, deprecated, message: "Use boolean(forKey:) and setBoolean(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Bool {
        get { boolean(forKey: key) }
        nonmutating set { setBoolean(newValue, forKey: key) }
    }

    /// The number for `key`, truncated towards zero and clamped to the range of `Int`; 1 for true, 0 for any other value.
    @available(*, deprecated, message: "Use int(forKey:) and setInt(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Int {
        get { int(forKey: key) }
        nonmutating set { setInt(newValue, forKey: key) }
    }

    /// The number for `key`; 1 for true, 0 for any other value.
    @available(*, deprecated, message: "Use double(forKey:) and setDouble(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Double {
        get { double(forKey: key) }
        nonmutating set { setDouble(newValue, forKey: key) }
    }
}
