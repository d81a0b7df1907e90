// The previews' access to values. The subscripts are disfavoured: where it is not said what type is wanted,
// `dictionary["key"]` is a fragment.

extension DictionaryProtocol {
    /// All values as plain Swift ones.
    @available(*, deprecated, message: "Use toDictionary()")
    public var properties: [String: Any] { toDictionary() }

    /// The string under `key`; nil when there is none.
    @available(*, deprecated, message: "Use string(forKey:)")
    public func getString(_ key: String) -> String? { string(forKey: key) }

    /// The value under `key`; nil when there is none.
    @available(*, deprecated, message: "Use value(forKey:)")
    public func object(forKey key: String) -> Any? { value(forKey: key) }
}

extension MutableDictionaryProtocol {
    /// All values as plain Swift ones. Setting it replaces all.
    @available(*, deprecated, message: "Use toDictionary() and setData(_:)")
    public var properties: [String: Any] {
        get { toDictionary() }
        nonmutating set { setData(newValue) }
    }

    /// Sets the value under `key`.
    @available(*, deprecated, message: "Use setValue(_:forKey:)")
    public func setObject(_ object: Any?, forKey key: String) {
        setValue(object, forKey: key)
    }

    /// The value under `key`; nil when there is none. Setting nil sets null.
    @available(*, deprecated, message: "Use value(forKey:) and setValue(_:forKey:)")
    @_disfavoredOverload
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        nonmutating set { setValue(newValue, forKey: key) }
    }

    /// The string under `key`; nil when there is none. Setting nil sets null.
    @available(*, deprecated, message: "Use string(forKey:) and setString(_:forKey:)")
    @_disfavoredOverload
    public subscript(key: String) -> String? {
        get { string(forKey: key) }
        nonmutating set { setString(newValue, forKey: key) }
    }

    /// The date under `key`; nil when there is none. Setting nil sets null.
    @available(*, deprecated, message: "Use date(forKey:) and setDate(_:forKey:)")
    @_disfavoredOverload
    public subscript(key: String) -> Date? {
        get { date(forKey: key) }
        nonmutating set { setDate(newValue, forKey: key) }
    }

    /// The blob under `key`; nil when there is none. Setting nil sets null.
    @available(*, deprecated, message: "Use blob(forKey:) and setBlob(_:forKey:)")
    @_disfavoredOverload
    public subscript(key: String) -> Blob? {
        get { blob(forKey: key) }
        nonmutating set { setBlob(newValue, forKey: key) }
    }

    /// The dictionary under `key`, whose changes are changes in this; nil when there is none. Setting nil sets null.
    @available(*, deprecated, message: "Use dictionary(forKey:) and setDictionary(_:forKey:)")
    @_disfavoredOverload
    public subscript(key: String) -> MutableDictionaryObject? {
        get { dictionary(forKey: key) }
        nonmutating set { setDictionary(newValue, forKey: key) }
    }

    /// Whether the value under `key` is anything but false, zero, null or absent.
    @available(*, deprecated, message: "Use boolean(forKey:) and setBoolean(_:forKey:)")
    @_disfavoredOverload
    public subscript(key: String) -> Bool {
        get { boolean(forKey: key) }
        nonmutating set { setBoolean(newValue, forKey: key) }
    }

    /// The number under `key`, truncated towards zero and clamped; 1 for true; else 0.
    @available(*, deprecated, message: "Use int(forKey:) and setInt(_:forKey:)")
    @_disfavoredOverload
    public subscript(key: String) -> Int {
        get { int(forKey: key) }
        nonmutating set { setInt(newValue, forKey: key) }
    }

    /// The number under `key`; 1 for true; else 0.
    @available(*, deprecated, message: "Use double(forKey:) and setDouble(_:forKey:)")
    @_disfavoredOverload
    public subscript(key: String) -> Double {
        get { double(forKey: key) }
        nonmutating set { setDouble(newValue, forKey: key) }
    }
}
