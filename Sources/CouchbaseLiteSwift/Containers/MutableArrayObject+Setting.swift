/// Setting and adding. An index out of range is a misuse.
extension MutableArrayObject {
    /// Replaces the value at `index` by the value.
    @discardableResult
    public func setValue(_ value: Any?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` by the string, or null.
    @discardableResult
    public func setString(_ value: String?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` by the number, or null.
    @discardableResult
    public func setNumber(_ value: NSNumber?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` by the integer.
    @discardableResult
    public func setInt(_ value: Int, at index: Int) -> Self {
        replace(.integer(Int64(value)), at: index)
    }

    /// Replaces the value at `index` by the integer.
    @discardableResult
    public func setInt64(_ value: Int64, at index: Int) -> Self {
        replace(.integer(value), at: index)
    }

    /// Replaces the value at `index` by the number.
    @discardableResult
    public func setDouble(_ value: Double, at index: Int) -> Self {
        replace(.double(value), at: index)
    }

    /// Replaces the value at `index` by the number.
    @discardableResult
    public func setFloat(_ value: Float, at index: Int) -> Self {
        replace(.float(value), at: index)
    }

    /// Replaces the value at `index` by the boolean.
    @discardableResult
    public func setBoolean(_ value: Bool, at index: Int) -> Self {
        replace(.boolean(value), at: index)
    }

    /// Replaces the value at `index` by the date as ISO-8601 text, or null.
    @discardableResult
    public func setDate(_ value: Date?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` by the blob, or null.
    @discardableResult
    public func setBlob(_ value: Blob?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` by the array, or null; a mutable one is held itself, of another a copy.
    @discardableResult
    public func setArray(_ value: ArrayObject?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` by the dictionary, or null; a mutable one is held itself, of another a copy.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Adds the value at the end.
    @discardableResult
    public func addValue(_ value: Any?) -> Self {
        append(PropertyValue(value))
    }

    /// Adds the string, or null at the end.
    @discardableResult
    public func addString(_ value: String?) -> Self {
        append(PropertyValue(value))
    }

    /// Adds the number, or null at the end.
    @discardableResult
    public func addNumber(_ value: NSNumber?) -> Self {
        append(PropertyValue(value))
    }

    /// Adds the integer at the end.
    @discardableResult
    public func addInt(_ value: Int) -> Self {
        append(.integer(Int64(value)))
    }

    /// Adds the integer at the end.
    @discardableResult
    public func addInt64(_ value: Int64) -> Self {
        append(.integer(value))
    }

    /// Adds the number at the end.
    @discardableResult
    public func addDouble(_ value: Double) -> Self {
        append(.double(value))
    }

    /// Adds the number at the end.
    @discardableResult
    public func addFloat(_ value: Float) -> Self {
        append(.float(value))
    }

    /// Adds the boolean at the end.
    @discardableResult
    public func addBoolean(_ value: Bool) -> Self {
        append(.boolean(value))
    }

    /// Adds the date as ISO-8601 text, or null at the end.
    @discardableResult
    public func addDate(_ value: Date?) -> Self {
        append(PropertyValue(value))
    }

    /// Adds the blob, or null at the end.
    @discardableResult
    public func addBlob(_ value: Blob?) -> Self {
        append(PropertyValue(value))
    }

    /// Adds the array, or null; a mutable one is held itself, of another a copy at the end.
    @discardableResult
    public func addArray(_ value: ArrayObject?) -> Self {
        append(PropertyValue(value))
    }

    /// Adds the dictionary, or null; a mutable one is held itself, of another a copy at the end.
    @discardableResult
    public func addDictionary(_ value: DictionaryObject?) -> Self {
        append(PropertyValue(value))
    }
}
