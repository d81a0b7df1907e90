// The setters, which `MutableArrayProtocol` documents.

/// Replacing and appending values. An index out of range is a programming error, which traps.
extension MutableArrayObject {
    @discardableResult public func setValue(_ value: Any?, at index: Int) -> Self { replace(PropertyValue(value), at: index) }
    @discardableResult public func setString(_ value: String?, at index: Int) -> Self { replace(PropertyValue(value), at: index) }
    @discardableResult public func setNumber(_ value: NSNumber?, at index: Int) -> Self { replace(PropertyValue(value), at: index) }
    @discardableResult public func setInt(_ value: Int, at index: Int) -> Self { replace(.integer(Int64(value)), at: index) }
    @discardableResult public func setInt64(_ value: Int64, at index: Int) -> Self { replace(.integer(value), at: index) }
    @discardableResult public func setDouble(_ value: Double, at index: Int) -> Self { replace(.double(value), at: index) }
    @discardableResult public func setFloat(_ value: Float, at index: Int) -> Self { replace(.float(value), at: index) }
    @discardableResult public func setBoolean(_ value: Bool, at index: Int) -> Self { replace(.boolean(value), at: index) }
    @discardableResult public func setDate(_ value: Date?, at index: Int) -> Self { replace(PropertyValue(value), at: index) }
    @discardableResult public func setBlob(_ value: Blob?, at index: Int) -> Self { replace(PropertyValue(value), at: index) }
    @discardableResult public func setArray(_ value: ArrayObject?, at index: Int) -> Self { replace(PropertyValue(value), at: index) }
    @discardableResult public func setDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        replace(PropertyValue(value), at: index)
    }
    @discardableResult public func addValue(_ value: Any?) -> Self { append(PropertyValue(value)) }
    @discardableResult public func addString(_ value: String?) -> Self { append(PropertyValue(value)) }
    @discardableResult public func addNumber(_ value: NSNumber?) -> Self { append(PropertyValue(value)) }
    @discardableResult public func addInt(_ value: Int) -> Self { append(.integer(Int64(value))) }
    @discardableResult public func addInt64(_ value: Int64) -> Self { append(.integer(value)) }
    @discardableResult public func addDouble(_ value: Double) -> Self { append(.double(value)) }
    @discardableResult public func addFloat(_ value: Float) -> Self { append(.float(value)) }
    @discardableResult public func addBoolean(_ value: Bool) -> Self { append(.boolean(value)) }
    @discardableResult public func addDate(_ value: Date?) -> Self { append(PropertyValue(value)) }
    @discardableResult public func addBlob(_ value: Blob?) -> Self { append(PropertyValue(value)) }
    @discardableResult public func addArray(_ value: ArrayObject?) -> Self { append(PropertyValue(value)) }
    @discardableResult public func addDictionary(_ value: DictionaryObject?) -> Self { append(PropertyValue(value)) }
}

/// Inserting values. An index less than 0 or greater than ``ArrayObject/count`` is a programming error, which traps.
///
/// - Complexity: Each insertion is O(*n*), where *n* is the number of values.
extension MutableArrayObject {
    @discardableResult public func insertValue(_ value: Any?, at index: Int) -> Self { insert(PropertyValue(value), at: index) }
    @discardableResult public func insertString(_ value: String?, at index: Int) -> Self { insert(PropertyValue(value), at: index) }
    @discardableResult public func insertNumber(_ value: NSNumber?, at index: Int) -> Self { insert(PropertyValue(value), at: index) }
    @discardableResult public func insertInt(_ value: Int, at index: Int) -> Self { insert(.integer(Int64(value)), at: index) }
    @discardableResult public func insertInt64(_ value: Int64, at index: Int) -> Self { insert(.integer(value), at: index) }
    @discardableResult public func insertDouble(_ value: Double, at index: Int) -> Self { insert(.double(value), at: index) }
    @discardableResult public func insertFloat(_ value: Float, at index: Int) -> Self { insert(.float(value), at: index) }
    @discardableResult public func insertBoolean(_ value: Bool, at index: Int) -> Self { insert(.boolean(value), at: index) }
    @discardableResult public func insertDate(_ value: Date?, at index: Int) -> Self { insert(PropertyValue(value), at: index) }
    @discardableResult public func insertBlob(_ value: Blob?, at index: Int) -> Self { insert(PropertyValue(value), at: index) }
    @discardableResult public func insertArray(_ value: ArrayObject?, at index: Int) -> Self { insert(PropertyValue(value), at: index) }
    @discardableResult public func insertDictionary(_ value: DictionaryObject?, at index: Int) -> Self {
        insert(PropertyValue(value), at: index)
    }
}
