// The column access of the developer previews. The subscripts are disfavored overloads: where the type is not specified, `row[0]` is a
// fragment.

@available(*, deprecated, message: "Use value(at:), string(at:) and their like")
extension Result {
    @_disfavoredOverload public subscript(index: Int) -> String? { string(at: index) }
    @_disfavoredOverload public subscript(index: Int) -> Date? { date(at: index) }
    @_disfavoredOverload public subscript(index: Int) -> Bool { boolean(at: index) }
    @_disfavoredOverload public subscript(index: Int) -> Int { int(at: index) }
    @_disfavoredOverload public subscript(index: Int) -> Int64 { int64(at: index) }
    @_disfavoredOverload public subscript(index: Int) -> Float { float(at: index) }
    @_disfavoredOverload public subscript(index: Int) -> Double { double(at: index) }
}

@available(*, deprecated, message: "Use Expression.property(_:) for the properties")
extension From {
    public func groupBy(_ properties: String...) -> GroupBy { groupBy(properties.map { Expression.property($0) }) }
}

@available(*, deprecated, message: "Use Expression.property(_:) for the properties")
extension Where {
    public func groupBy(_ properties: String...) -> GroupBy { groupBy(properties.map { Expression.property($0) }) }
}
