// The value access of the developer previews. The subscripts are disfavored overloads: where the type is not specified, `dictionary["key"]`
// is a fragment.

extension DictionaryProtocol {
    @available(*, deprecated, message: "Use toDictionary()")
    public var properties: [String: Any] { toDictionary() }

    @available(*, deprecated, message: "Use string(forKey:)")
    public func getString(_ key: String) -> String? { string(forKey: key) }

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

    @available(*, deprecated, message: "Use setValue(_:forKey:)")
    public func setObject(_ object: Any?, forKey key: String) { setValue(object, forKey: key) }

    @available(*, deprecated, message: "Use value(forKey:) and setValue(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Any? {
        get { value(forKey: key) }
        nonmutating set { setValue(newValue, forKey: key) }
    }

    @available(*, deprecated, message: "Use string(forKey:) and setString(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> String? {
        get { string(forKey: key) }
        nonmutating set { setString(newValue, forKey: key) }
    }

    @available(*, deprecated, message: "Use date(forKey:) and setDate(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Date? {
        get { date(forKey: key) }
        nonmutating set { setDate(newValue, forKey: key) }
    }

    @available(*, deprecated, message: "Use blob(forKey:) and setBlob(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Blob? {
        get { blob(forKey: key) }
        nonmutating set { setBlob(newValue, forKey: key) }
    }

    @available(*, deprecated, message: "Use dictionary(forKey:) and setDictionary(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> MutableDictionaryObject? {
        get { dictionary(forKey: key) }
        nonmutating set { setDictionary(newValue, forKey: key) }
    }

    @available(*, deprecated, message: "Use boolean(forKey:) and setBoolean(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Bool {
        get { boolean(forKey: key) }
        nonmutating set { setBoolean(newValue, forKey: key) }
    }

    @available(*, deprecated, message: "Use int(forKey:) and setInt(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Int {
        get { int(forKey: key) }
        nonmutating set { setInt(newValue, forKey: key) }
    }

    @available(*, deprecated, message: "Use double(forKey:) and setDouble(_:forKey:)") @_disfavoredOverload
    public subscript(key: String) -> Double {
        get { double(forKey: key) }
        nonmutating set { setDouble(newValue, forKey: key) }
    }
}
