/// Inserting. An index beyond the count is a misuse.
extension MutableArrayObject {
    /// Inserts the value at `index`, which may be the count.
    @discardableResult
    public func insertValue(_ value: Any?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts the string, or null at `index`, which may be the count.
    @discardableResult
    public func insertString(_ value: String?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts the number, or null at `index`, which may be the count.
    @discardableResult
    public func insertNumber(_ value: NSNumber?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts the integer at `index`, which may be the count.
    @discardableResult
    public func insertInt(_ value: Int, at index: Int) -> Self {
        insert(.integer(Int64(value)), at: index)
    }

    /// Inserts the integer at `index`, which may be the count.
    @discardableResult
    public func insertInt64(_ value: Int64, at index: Int) -> Self {
        insert(.integer(value), at: index)
    }

    /// Inserts the number at `index`, which may be the count.
    @discardableResult
    public func insertDouble(_ value: Double, at index: Int) -> Self {
        insert(.double(value), at: index)
    }

    /// Inserts the number at `index`, which may be the count.
    @discardableResult
    public func insertFloat(_ value: Float, at index: Int) -> Self {
        insert(.float(value), at: index)
    }

    /// Inserts the boolean at `index`, which may be the count.
    @discardableResult
    public func insertBoolean(_ value: Bool, at index: Int) -> Self {
        insert(.boolean(value), at: index)
    }

    /// Inserts the date as ISO-8601 text, or null at `index`, which may be the count.
    @discardableResult
    public func insertDate(_ value: Date?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts the blob, or null at `index`, which may be the count.
    @discardableResult
    public func insertBlob(_ value: Blob?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts the array, or null; a mutable one is held itself, of another a copy at `index`, which may be the count.
    @discardableResult
    public func insertArray(_ value: ArrayObject?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }

    /// Inserts the dictionary, or null; a mutable one is held itself, of another a copy at `index`, which may be the count.
    @discardableResult
    public func insertDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }
}
