/// Inserting values. An index less than 0 or greater than ``ArrayObject/count`` is a programming error, which traps.
///
/// - Complexity: Each insertion is O(*n*), where *n* is the number of values.
extension MutableArrayObject {
    /// Inserts `value` at `index`, which may equal the count; `nil` inserts null. See
    /// ``MutableDictionaryObject/setData(_:)`` for the types that are allowed.
    @discardableResult
    public func insertValue(_ value: Any?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts a string at `index`, which may equal the count; `nil` inserts null.
    @discardableResult
    public func insertString(_ value: String?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts a number or boolean at `index`, which may equal the count; `nil` inserts null.
    @discardableResult
    public func insertNumber(_ value: NSNumber?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts an integer at `index`, which may equal the count.
    @discardableResult
    public func insertInt(_ value: Int, at index: Int) -> Self {
        insert(.integer(Int64(value)), at: index)
    }

    /// Inserts an integer at `index`, which may equal the count.
    @discardableResult
    public func insertInt64(_ value: Int64, at index: Int) -> Self {
        insert(.integer(value), at: index)
    }

    /// Inserts a floating-point number at `index`, which may equal the count.
    @discardableResult
    public func insertDouble(_ value: Double, at index: Int) -> Self {
        insert(.double(value), at: index)
    }

    /// Inserts a floating-point number at `index`, which may equal the count.
    @discardableResult
    public func insertFloat(_ value: Float, at index: Int) -> Self {
        insert(.float(value), at: index)
    }

    /// Inserts a boolean at `index`, which may equal the count.
    @discardableResult
    public func insertBoolean(_ value: Bool, at index: Int) -> Self {
        insert(.boolean(value), at: index)
    }

    /// Inserts a date at `index`, which may equal the count; `nil` inserts null. Dates are stored as ISO-8601 strings
    /// in UTC with milliseconds.
    @discardableResult
    public func insertDate(_ value: Date?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts a blob at `index`, which may equal the count; `nil` inserts null.
    @discardableResult
    public func insertBlob(_ value: Blob?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts an array at `index`, which may equal the count; `nil` inserts null. A mutable array is shared with the
    /// caller; an immutable one is copied.
    @discardableResult
    public func insertArray(_ value: ArrayObject?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts a dictionary at `index`, which may equal the count; `nil` inserts null. A mutable dictionary is shared
    /// with the caller; an immutable one is copied.
    @discardableResult
    public func insertDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }
}
