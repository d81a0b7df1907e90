/// Known cases of enumerations with raw values that are not `CaseIterable`, so that a model with such a property can be decoded by
/// ``ProbeDecoder``.
///
/// Without a case, the whole model could not be decoded, and neither the property of its ID nor those with other coding keys would be found.
struct CaseSamples {
    /// Values of raw-value types in the default value of the model, the first two that differ of each type.
    private var found: [ObjectIdentifier: [Any]] = [:]
    private let types: ModelTypes

    /// How deep default values are searched.
    private static let maximumDepth = 8
    /// How many elements of a collection in a default value are searched.
    private static let maximumCount = 100
    /// The integers that are tried as raw values.
    private static let integers = -1...1000

    /// - Parameter model: The type whose default value has cases, if it declares one.
    init(of model: any Decodable.Type, _ types: ModelTypes) {
        self.types = types
        if let value = types.defaultValue(model) { collect(value, depth: 0) }
    }

    private mutating func collect(_ value: Any, depth: Int) {
        guard depth < Self.maximumDepth else { return }
        if value is any RawRepresentable { found[ObjectIdentifier(type(of: value)), default: []].append(value) }
        var mirror: Mirror? = Mirror(reflecting: value)
        while let current = mirror {
            for child in current.children.prefix(Self.maximumCount) { collect(child.value, depth: depth + 1) }
            mirror = current.superclassMirror
        }
    }

    /// Returns a case of a type; `nil` if none is known. Costs up to a thousand attempts for an enumeration of integers.
    ///
    /// - Parameter isSecond: Whether to return another case than otherwise, if two are known.
    func value<T>(isSecond: Bool) -> T? {
        guard let type = T.self as? any RawRepresentable.Type else { return nil }
        var values = Self.values(of: type).compactMap { $0 as? T }
        if values.isEmpty { values = (found[ObjectIdentifier(T.self)] ?? []).compactMap { $0 as? T } }
        if values.isEmpty, let value = types.defaultValue(T.self) as? T { values = [value] }
        return isSecond ? values.last : values.first
    }

    /// Returns the first two cases whose raw values are integers.
    private static func values<T: RawRepresentable>(of type: T.Type) -> [Any] {
        guard let integer = T.RawValue.self as? any FixedWidthInteger.Type else { return [] }
        return values(of: type, integer)
    }

    private static func values<T: RawRepresentable, Raw: FixedWidthInteger>(of type: T.Type, _ raw: Raw.Type) -> [Any] {
        Array(integers.lazy.compactMap { (Raw(exactly: $0) as? T.RawValue).flatMap(T.init(rawValue:)) }.prefix(2))
    }
}
