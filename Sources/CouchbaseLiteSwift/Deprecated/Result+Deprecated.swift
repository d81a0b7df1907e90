// The column access of the developer previews. The subscripts are disfavored overloads: where the type is not specified, `row[0]` is a
// fragment.

@available(*, deprecated, message: "Use value(at:), string(at:) and their like")
extension Result {
    /// The string in the column; `nil` if its value is not a string.
    @_disfavoredOverload public subscript(index: Int) -> String? { string(at: index) }
    /// The date in the column, parsed from an ISO-8601 string; `nil` for any other value.
    @_disfavoredOverload public subscript(index: Int) -> Date? { date(at: index) }
    /// Whether the value in the column is anything but false, zero, null or missing.
    @_disfavoredOverload public subscript(index: Int) -> Bool { boolean(at: index) }
    /// The number in the column, truncated towards zero and clamped to the range of the type; 1 for true, 0 for any other value.
    @_disfavoredOverload public subscript(index: Int) -> Int { int(at: index) }
    /// The number in the column, truncated towards zero and clamped to the range of the type; 1 for true, 0 for any other value.
    @_disfavoredOverload public subscript(index: Int) -> Int64 { int64(at: index) }
    /// The number in the column; 1 for true, 0 for any other value.
    @_disfavoredOverload public subscript(index: Int) -> Float { float(at: index) }
    /// The number in the column; 1 for true, 0 for any other value.
    @_disfavoredOverload public subscript(index: Int) -> Double { double(at: index) }
}

@available(*, deprecated, message: "Use Expression.property(_:) for the properties")
extension From {
    /// Groups the rows: rows with equal values for all of these properties are combined to one row of the results.
    public func groupBy(_ properties: String...) -> GroupBy { groupBy(properties.map { Expression.property($0) }) }
}

@available(*, deprecated, message: "Use Expression.property(_:) for the properties")
extension Where {
    /// Groups the rows: rows with equal values for all of these properties are combined to one row of the results.
    public func groupBy(_ properties: String...) -> GroupBy { groupBy(properties.map { Expression.property($0) }) }
}
