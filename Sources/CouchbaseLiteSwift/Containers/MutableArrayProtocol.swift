/// A mutable array. Not safe to use from several threads at once.
public protocol MutableArrayProtocol: ArrayProtocol, MutableArrayFragment {
    /// Replaces the value at `index` by the value.
    @discardableResult func setValue(_ value: Any?, at index: Int) -> Self
    /// Replaces the value at `index` by the string, or null.
    @discardableResult func setString(_ value: String?, at index: Int) -> Self
    /// Replaces the value at `index` by the number, or null.
    @discardableResult func setNumber(_ value: NSNumber?, at index: Int) -> Self
    /// Replaces the value at `index` by the integer.
    @discardableResult func setInt(_ value: Int, at index: Int) -> Self
    /// Replaces the value at `index` by the integer.
    @discardableResult func setInt64(_ value: Int64, at index: Int) -> Self
    /// Replaces the value at `index` by the number.
    @discardableResult func setDouble(_ value: Double, at index: Int) -> Self
    /// Replaces the value at `index` by the number.
    @discardableResult func setFloat(_ value: Float, at index: Int) -> Self
    /// Replaces the value at `index` by the boolean.
    @discardableResult func setBoolean(_ value: Bool, at index: Int) -> Self
    /// Replaces the value at `index` by the date as ISO-8601 text, or null.
    @discardableResult func setDate(_ value: Date?, at index: Int) -> Self
    /// Replaces the value at `index` by the blob, or null.
    @discardableResult func setBlob(_ value: Blob?, at index: Int) -> Self
    /// Replaces the value at `index` by the array, or null; a mutable one is held itself, of another a copy.
    @discardableResult func setArray(_ value: ArrayObject?, at index: Int) -> Self
    /// Replaces the value at `index` by the dictionary, or null; a mutable one is held itself, of another a copy.
    @discardableResult func setDictionary(_ value: DictionaryObject?, at index: Int) -> Self
    /// Adds the value at the end.
    @discardableResult func addValue(_ value: Any?) -> Self
    /// Adds the string, or null at the end.
    @discardableResult func addString(_ value: String?) -> Self
    /// Adds the number, or null at the end.
    @discardableResult func addNumber(_ value: NSNumber?) -> Self
    /// Adds the integer at the end.
    @discardableResult func addInt(_ value: Int) -> Self
    /// Adds the integer at the end.
    @discardableResult func addInt64(_ value: Int64) -> Self
    /// Adds the number at the end.
    @discardableResult func addDouble(_ value: Double) -> Self
    /// Adds the number at the end.
    @discardableResult func addFloat(_ value: Float) -> Self
    /// Adds the boolean at the end.
    @discardableResult func addBoolean(_ value: Bool) -> Self
    /// Adds the date as ISO-8601 text, or null at the end.
    @discardableResult func addDate(_ value: Date?) -> Self
    /// Adds the blob, or null at the end.
    @discardableResult func addBlob(_ value: Blob?) -> Self
    /// Adds the array, or null; a mutable one is held itself, of another a copy at the end.
    @discardableResult func addArray(_ value: ArrayObject?) -> Self
    /// Adds the dictionary, or null; a mutable one is held itself, of another a copy at the end.
    @discardableResult func addDictionary(_ value: DictionaryObject?) -> Self
    /// Inserts the value at `index`, which may be the count.
    @discardableResult func insertValue(_ value: Any?, at index: Int) -> Self
    /// Inserts the string, or null at `index`, which may be the count.
    @discardableResult func insertString(_ value: String?, at index: Int) -> Self
    /// Inserts the number, or null at `index`, which may be the count.
    @discardableResult func insertNumber(_ value: NSNumber?, at index: Int) -> Self
    /// Inserts the integer at `index`, which may be the count.
    @discardableResult func insertInt(_ value: Int, at index: Int) -> Self
    /// Inserts the integer at `index`, which may be the count.
    @discardableResult func insertInt64(_ value: Int64, at index: Int) -> Self
    /// Inserts the number at `index`, which may be the count.
    @discardableResult func insertDouble(_ value: Double, at index: Int) -> Self
    /// Inserts the number at `index`, which may be the count.
    @discardableResult func insertFloat(_ value: Float, at index: Int) -> Self
    /// Inserts the boolean at `index`, which may be the count.
    @discardableResult func insertBoolean(_ value: Bool, at index: Int) -> Self
    /// Inserts the date as ISO-8601 text, or null at `index`, which may be the count.
    @discardableResult func insertDate(_ value: Date?, at index: Int) -> Self
    /// Inserts the blob, or null at `index`, which may be the count.
    @discardableResult func insertBlob(_ value: Blob?, at index: Int) -> Self
    /// Inserts the array, or null; a mutable one is held itself, of another a copy at `index`, which may be the count.
    @discardableResult func insertArray(_ value: ArrayObject?, at index: Int) -> Self
    /// Inserts the dictionary, or null; a mutable one is held itself, of another a copy at `index`, which may be the count.
    @discardableResult func insertDictionary(_ value: DictionaryObject?, at index: Int) -> Self
    /// Replaces all values.
    @discardableResult func setData(_ data: [Any]?) -> Self
    /// Replaces all values by those of a JSON array.
    @discardableResult func setJSON(_ json: String) throws -> Self
    /// Removes the value at `index`.
    @discardableResult func removeValue(at index: Int) -> Self
    /// The array at `index`; nil when there is none. Changes in it are changes in this.
    func array(at index: Int) -> MutableArrayObject?
    /// The dictionary at `index`; nil when there is none. Changes in it are changes in this.
    func dictionary(at index: Int) -> MutableDictionaryObject?
}
