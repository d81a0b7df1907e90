/// What mutable documents and dictionaries have in common. Not safe to use from several threads at once.
public protocol MutableDictionaryProtocol: DictionaryProtocol, MutableDictionaryFragment {
    /// Sets the value under `key`.
    @discardableResult func setValue(_ value: Any?, forKey key: String) -> Self
    /// Sets the string, or null under `key`.
    @discardableResult func setString(_ value: String?, forKey key: String) -> Self
    /// Sets the number, or null under `key`.
    @discardableResult func setNumber(_ value: NSNumber?, forKey key: String) -> Self
    /// Sets the integer under `key`.
    @discardableResult func setInt(_ value: Int, forKey key: String) -> Self
    /// Sets the integer under `key`.
    @discardableResult func setInt64(_ value: Int64, forKey key: String) -> Self
    /// Sets the number under `key`.
    @discardableResult func setDouble(_ value: Double, forKey key: String) -> Self
    /// Sets the number under `key`.
    @discardableResult func setFloat(_ value: Float, forKey key: String) -> Self
    /// Sets the boolean under `key`.
    @discardableResult func setBoolean(_ value: Bool, forKey key: String) -> Self
    /// Sets the date as ISO-8601 text, or null under `key`.
    @discardableResult func setDate(_ value: Date?, forKey key: String) -> Self
    /// Sets the blob, or null under `key`.
    @discardableResult func setBlob(_ value: Blob?, forKey key: String) -> Self
    /// Sets the array, or null; a mutable one is held itself, of another a copy under `key`.
    @discardableResult func setArray(_ value: ArrayObject?, forKey key: String) -> Self
    /// Sets the dictionary, or null; a mutable one is held itself, of another a copy under `key`.
    @discardableResult func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self
    /// Replaces all values.
    @discardableResult func setData(_ data: [String: Any]?) -> Self
    /// Replaces all values by those of a JSON object.
    @discardableResult func setJSON(_ json: String) throws -> Self
    /// Removes the value under `key`, if there is one.
    @discardableResult func removeValue(forKey key: String) -> Self
    /// The array under `key`; nil when there is none. Changes in it are changes in this.
    func array(forKey key: String) -> MutableArrayObject?
    /// The dictionary under `key`; nil when there is none. Changes in it are changes in this.
    func dictionary(forKey key: String) -> MutableDictionaryObject?
}
