/// The interface of mutable arrays. Not thread-safe.
///
/// An index out of range is a programming error, which traps. So is a value of a type that cannot be stored, except for the functions with
/// the label `validating`, which throw an error.
public protocol MutableArrayProtocol: ArrayProtocol, MutableArrayFragment {
    /// Replaces the value at `index` with `value`; `nil` sets null. Types as for ``MutableDictionaryObject/setData(_:)``.
    @discardableResult func setValue(_ value: Any?, at index: Int) -> Self
    /// Replaces the value at `index` with a string; `nil` sets null.
    @discardableResult func setString(_ value: String?, at index: Int) -> Self
    /// Replaces the value at `index` with a number or boolean; `nil` sets null.
    @discardableResult func setNumber(_ value: NSNumber?, at index: Int) -> Self
    /// Replaces the value at `index` with an integer.
    @discardableResult func setInt(_ value: Int, at index: Int) -> Self
    /// Replaces the value at `index` with an integer.
    @discardableResult func setInt64(_ value: Int64, at index: Int) -> Self
    /// Replaces the value at `index` with a floating-point number.
    @discardableResult func setDouble(_ value: Double, at index: Int) -> Self
    /// Replaces the value at `index` with a floating-point number.
    @discardableResult func setFloat(_ value: Float, at index: Int) -> Self
    /// Replaces the value at `index` with a boolean.
    @discardableResult func setBoolean(_ value: Bool, at index: Int) -> Self
    /// Replaces the value at `index` with a date, stored as an ISO-8601 string in UTC with milliseconds; `nil` sets null.
    @discardableResult func setDate(_ value: Date?, at index: Int) -> Self
    /// Replaces the value at `index` with a blob; `nil` sets null.
    @discardableResult func setBlob(_ value: Blob?, at index: Int) -> Self
    /// Replaces the value at `index` with an array; `nil` sets null. A mutable array is shared with the caller; an immutable one is copied.
    @discardableResult func setArray(_ value: ArrayObject?, at index: Int) -> Self
    /// Replaces the value at `index` with a dictionary; `nil` sets null. A mutable dictionary is shared with the
    /// caller; an immutable one is copied.
    @discardableResult func setDictionary(_ value: DictionaryObject?, at index: Int) -> Self
    /// Appends `value`; `nil` appends null. See ``MutableDictionaryObject/setData(_:)`` for the types that are allowed.
    @discardableResult func addValue(_ value: Any?) -> Self
    /// Appends a string; `nil` appends null.
    @discardableResult func addString(_ value: String?) -> Self
    /// Appends a number or boolean; `nil` appends null.
    @discardableResult func addNumber(_ value: NSNumber?) -> Self
    /// Appends an integer.
    @discardableResult func addInt(_ value: Int) -> Self
    /// Appends an integer.
    @discardableResult func addInt64(_ value: Int64) -> Self
    /// Appends a floating-point number.
    @discardableResult func addDouble(_ value: Double) -> Self
    /// Appends a floating-point number.
    @discardableResult func addFloat(_ value: Float) -> Self
    /// Appends a boolean.
    @discardableResult func addBoolean(_ value: Bool) -> Self
    /// Appends a date, stored as an ISO-8601 string in UTC with milliseconds; `nil` appends null.
    @discardableResult func addDate(_ value: Date?) -> Self
    /// Appends a blob; `nil` appends null.
    @discardableResult func addBlob(_ value: Blob?) -> Self
    /// Appends an array; `nil` appends null. A mutable array is shared with the caller; an immutable one is copied.
    @discardableResult func addArray(_ value: ArrayObject?) -> Self
    /// Appends a dictionary; `nil` appends null. A mutable dictionary is shared with the caller; an immutable one is copied.
    @discardableResult func addDictionary(_ value: DictionaryObject?) -> Self
    /// Inserts `value` at `index`, which may equal the count; `nil` inserts null. See
    /// ``MutableDictionaryObject/setData(_:)`` for the types that are allowed.
    @discardableResult func insertValue(_ value: Any?, at index: Int) -> Self
    /// Inserts a string at `index`, which may equal the count; `nil` inserts null.
    @discardableResult func insertString(_ value: String?, at index: Int) -> Self
    /// Inserts a number or boolean at `index`, which may equal the count; `nil` inserts null.
    @discardableResult func insertNumber(_ value: NSNumber?, at index: Int) -> Self
    /// Inserts an integer at `index`, which may equal the count.
    @discardableResult func insertInt(_ value: Int, at index: Int) -> Self
    /// Inserts an integer at `index`, which may equal the count.
    @discardableResult func insertInt64(_ value: Int64, at index: Int) -> Self
    /// Inserts a floating-point number at `index`, which may equal the count.
    @discardableResult func insertDouble(_ value: Double, at index: Int) -> Self
    /// Inserts a floating-point number at `index`, which may equal the count.
    @discardableResult func insertFloat(_ value: Float, at index: Int) -> Self
    /// Inserts a boolean at `index`, which may equal the count.
    @discardableResult func insertBoolean(_ value: Bool, at index: Int) -> Self
    /// Inserts a date at `index`, which may equal the count; `nil` inserts null. Stored as ISO-8601 in UTC with milliseconds.
    @discardableResult func insertDate(_ value: Date?, at index: Int) -> Self
    /// Inserts a blob at `index`, which may equal the count; `nil` inserts null.
    @discardableResult func insertBlob(_ value: Blob?, at index: Int) -> Self
    /// Inserts an array at `index`, which may equal the count; `nil` inserts null. A mutable array is shared with the
    /// caller; an immutable one is copied.
    @discardableResult func insertArray(_ value: ArrayObject?, at index: Int) -> Self
    /// Inserts a dictionary at `index`, which may equal the count; `nil` inserts null. A mutable dictionary is shared
    /// with the caller; an immutable one is copied.
    @discardableResult func insertDictionary(_ value: DictionaryObject?, at index: Int) -> Self
    /// Replaces all values; `nil` removes them. See ``MutableDictionaryObject/setData(_:)`` for the types that are allowed.
    @discardableResult func setData(_ data: [Any]?) -> Self
    /// Replaces all values with those of a JSON array.
    ///
    /// - Throws: ``CBLError/invalidJSON`` if `json` is not a JSON array that can be stored; then nothing is changed.
    @discardableResult func setJSON(_ json: String) throws -> Self
    /// Removes the value at `index`.
    @discardableResult func removeValue(at index: Int) -> Self
    /// Returns the array at `index`; `nil` if the value is not an array. Changing it changes this array.
    func array(at index: Int) -> MutableArrayObject?
    /// Returns the dictionary at `index`; `nil` if the value is not a dictionary. Changing it changes this array.
    func dictionary(at index: Int) -> MutableDictionaryObject?
}
