// The previews' access to the columns of a row. The subscripts are disfavoured: where it is not said what type is wanted,
// `row[0]` is a fragment.

@available(*, deprecated, message: "Use value(at:), string(at:) and their like")
extension Result {
    /// The string in a column; nil when there is none.
    @_disfavoredOverload
    public subscript(index: Int) -> String? { string(at: index) }

    /// The date that the string in a column says in ISO-8601; nil when there is none.
    @_disfavoredOverload
    public subscript(index: Int) -> Date? { date(at: index) }

    /// Whether the value of a column is anything but false, zero, null or missing.
    @_disfavoredOverload
    public subscript(index: Int) -> Bool { boolean(at: index) }

    /// The number in a column, truncated towards zero and clamped; 1 for true; else 0.
    @_disfavoredOverload
    public subscript(index: Int) -> Int { int(at: index) }

    /// The number in a column, truncated towards zero and clamped; 1 for true; else 0.
    @_disfavoredOverload
    public subscript(index: Int) -> Int64 { int64(at: index) }

    /// The number in a column; 1 for true; else 0.
    @_disfavoredOverload
    public subscript(index: Int) -> Float { float(at: index) }

    /// The number in a column; 1 for true; else 0.
    @_disfavoredOverload
    public subscript(index: Int) -> Double { double(at: index) }
}

@available(*, deprecated, message: "Use Expression.property(_:) for the properties")
extension From {
    /// Rows that agree in these properties make one row of the results.
    public func groupBy(_ properties: String...) -> GroupBy { groupBy(properties.map { Expression.property($0) }) }
}

@available(*, deprecated, message: "Use Expression.property(_:) for the properties")
extension Where {
    /// Rows that agree in these properties make one row of the results.
    public func groupBy(_ properties: String...) -> GroupBy { groupBy(properties.map { Expression.property($0) }) }
}
