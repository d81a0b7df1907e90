import ExactStrings
import Fleece
import QueryEngine

/// The values of a query's parameters, by name.
///
/// ```swift
/// query.parameters = Parameters().setString("airport", forName: "type")
/// ```
///
/// What ``Query/parameters`` returns can be read only: changing it is a programming error.
public class Parameters: @unchecked Sendable {
    // Unchecked: like other mutable objects, parameters need outside locking until a query has taken its frozen copy.
    private(set) var values: [ExactString: PropertyValue]
    private let isFrozen: Bool

    /// No parameters.
    public init() {
        values = [:]
        isFrozen = false
    }

    /// A copy of `parameters` that can be changed; nil gives none.
    public init(parameters: Parameters?) {
        values = parameters?.values ?? [:]
        isFrozen = false
    }

    /// A copy that cannot be changed.
    init(frozen parameters: Parameters) {
        values = parameters.values
        isFrozen = true
    }

    /// The value set for a name; nil when there is none.
    public func value(forName name: String) -> Any? {
        values[ExactString(name)].map(\.any)
    }

    /// Sets a value of any type that documents can hold.
    @discardableResult
    public func setValue(_ value: Any?, forName name: String) -> Parameters {
        set(PropertyValue(value), forName: name)
    }

    /// Sets a string.
    @discardableResult
    public func setString(_ value: String?, forName name: String) -> Parameters {
        set(PropertyValue(value), forName: name)
    }

    /// Sets an integer.
    @discardableResult
    public func setInt(_ value: Int, forName name: String) -> Parameters {
        set(.integer(Int64(value)), forName: name)
    }

    /// Sets an integer.
    @discardableResult
    public func setInt64(_ value: Int64, forName name: String) -> Parameters {
        set(.integer(value), forName: name)
    }

    /// Sets a number.
    @discardableResult
    public func setFloat(_ value: Float, forName name: String) -> Parameters {
        set(.float(value), forName: name)
    }

    /// Sets a number.
    @discardableResult
    public func setDouble(_ value: Double, forName name: String) -> Parameters {
        set(.double(value), forName: name)
    }

    /// Sets a boolean.
    @discardableResult
    public func setBoolean(_ value: Bool, forName name: String) -> Parameters {
        set(.boolean(value), forName: name)
    }

    /// Sets a date, which is compared as the string that documents keep for it.
    @discardableResult
    public func setDate(_ value: Date?, forName name: String) -> Parameters {
        set(PropertyValue(value), forName: name)
    }

    /// Sets a blob. One that was never saved is not stored for it either: its content is a part of the parameter.
    @discardableResult
    public func setBlob(_ value: Blob?, forName name: String) -> Parameters {
        set(PropertyValue(value), forName: name)
    }

    /// Sets an array.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forName name: String) -> Parameters {
        set(PropertyValue(value), forName: name)
    }

    /// Sets a dictionary.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forName name: String) -> Parameters {
        set(PropertyValue(value), forName: name)
    }

    private func set(_ value: PropertyValue, forName name: String) -> Parameters {
        guard !isFrozen else {
            _CBLMisuse.inconsistency("The parameters of a query cannot be changed; set new ones.")
        }
        values[ExactString(name)] = value
        return self
    }
}
