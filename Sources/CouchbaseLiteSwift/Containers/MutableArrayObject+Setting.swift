/// Replacing and appending values. An index out of range is a programming error, which traps.
extension MutableArrayObject {
    /// Replaces the value at `index` with `value`; `nil` sets null. See ``MutableDictionaryObject/setData(_:)`` for the
    /// types that are allowed.
    @discardableResult
    public func setValue(_ value: Any?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` with a string; `nil` sets null.
    @discardableResult
    public func setString(_ value: String?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` with a number or boolean; `nil` sets null.
    @discardableResult
    public func setNumber(_ value: NSNumber?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` with an integer.
    @discardableResult
    public func setInt(_ value: Int, at index: Int) -> Self {
        replace(.integer(Int64(value)), at: index)
    }

    /// Replaces the value at `index` with an integer.
    @discardableResult
    public func setInt64(_ value: Int64, at index: Int) -> Self {
        replace(.integer(value), at: index)
    }

    /// Replaces the value at `index` with a floating-point number.
    @discardableResult
    public func setDouble(_ value: Double, at index: Int) -> Self {
        replace(.double(value), at: index)
    }

    /// Replaces the value at `index` with a floating-point number.
    @discardableResult
    public func setFloat(_ value: Float, at index: Int) -> Self {
        replace(.float(value), at: index)
    }

    /// Replaces the value at `index` with a boolean.
    @discardableResult
    public func setBoolean(_ value: Bool, at index: Int) -> Self {
        replace(.boolean(value), at: index)
    }

    /// Replaces the value at `index` with a date, stored as an ISO-8601 string in UTC with milliseconds; `nil` sets
    /// null.
    @discardableResult
    public func setDate(_ value: Date?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` with a blob; `nil` sets null.
    @discardableResult
    public func setBlob(_ value: Blob?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` with an array; `nil` sets null. A mutable array is shared with the caller; an
    /// immutable one is copied.
    @discardableResult
    public func setArray(_ value: ArrayObject?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Replaces the value at `index` with a dictionary; `nil` sets null. A mutable dictionary is shared with the
    /// caller; an immutable one is copied.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }

    /// Appends `value`; `nil` appends null. See ``MutableDictionaryObject/setData(_:)`` for the types that are allowed.
    @discardableResult
    public func addValue(_ value: Any?) -> Self {
        append(PropertyValue(value))
    }

    /// Appends a string; `nil` appends null.
    @discardableResult
    public func addString(_ value: String?) -> Self {
        append(PropertyValue(value))
    }

    /// Appends a number or boolean; `nil` appends null.
    @discardableResult
    public func addNumber(_ value: NSNumber?) -> Self {
        append(PropertyValue(value))
    }

    /// Appends an integer.
    @discardableResult
    public func addInt(_ value: Int) -> Self {
        append(.integer(Int64(value)))
    }

    /// Appends an integer.
    @discardableResult
    public func addInt64(_ value: Int64) -> Self {
        append(.integer(value))
    }

    /// Appends a floating-point number.
    @discardableResult
    public func addDouble(_ value: Double) -> Self {
        append(.double(value))
    }

    /// Appends a floating-point number.
    @discardableResult
    public func addFloat(_ value: Float) -> Self {
        append(.float(value))
    }

    /// Appends a boolean.
    @discardableResult
    public func addBoolean(_ value: Bool) -> Self {
        append(.boolean(value))
    }

    /// Appends a date, stored as an ISO-8601 string in UTC with milliseconds; `nil` appends null.
    @discardableResult
    public func addDate(_ value: Date?) -> Self {
        append(PropertyValue(value))
    }

    /// Appends a blob; `nil` appends null.
    @discardableResult
    public func addBlob(_ value: Blob?) -> Self {
        append(PropertyValue(value))
    }

    /// Appends an array; `nil` appends null. A mutable array is shared with the caller; an immutable one is copied.
    @discardableResult
    public func addArray(_ value: ArrayObject?) -> Self {
        append(PropertyValue(value))
    }

    /// Appends a dictionary; `nil` appends null. A mutable dictionary is shared with the caller; an immutable one is
    /// copied.
    @discardableResult
    public func addDictionary(_ value: DictionaryObject?) -> Self {
        append(PropertyValue(value))
    }
}
