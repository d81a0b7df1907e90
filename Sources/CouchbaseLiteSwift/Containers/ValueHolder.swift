/// A mutable document or dictionary, to which a ``MutableFragment`` passes the values that are set through it.
protocol ValueHolder: MutableDictionaryProtocol {
    /// Sets `value` for `key`.
    @discardableResult func hold(_ value: PropertyValue, forKey key: String) -> Self
}
