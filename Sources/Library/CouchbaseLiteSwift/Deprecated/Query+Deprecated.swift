extension Query {
    /// Runs the query with these values of its parameters, instead of those of ``parameters``, which are not changed.
    @available(*, deprecated, message: "Use Database.query(_:) with interpolated values, or parameters")
    public func execute(_ values: [String: Any]) throws -> ResultSet { try execute(Parameters(values), cancellation) }
}

// The queries of the developer previews.

extension Query {
    /// Starts a query. Without columns, its rows give access to their documents: see ``Result/document``.
    @available(*, deprecated, message: "Use QueryBuilder.select(_:)")
    public static func select(_ results: any SelectResultProtocol...) -> Select {
        QueryBuilder.select(results.isEmpty ? identity : results)
    }

    /// Starts a query that returns equal rows once; see ``select(_:)``.
    @available(*, deprecated, message: "Use QueryBuilder.selectDistinct(_:)")
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select {
        QueryBuilder.selectDistinct(results.isEmpty ? identity : results)
    }

    /// The columns that identify the document of a row.
    @available(*, deprecated)
    private static var identity: [any SelectResultProtocol] {
        [SelectResult.expression(Meta.id).as(Result.documentIDTitle), SelectResult.expression(Meta.sequence).as(Result.sequenceTitle)]
    }

    /// Runs the query; see ``execute()``.
    @available(*, deprecated, renamed: "execute()")
    public func run() throws -> ResultSet { try execute() }
}

@available(*, deprecated, message: "Select Meta.id, and get the document from its collection")
extension Result {
    fileprivate static let documentIDTitle = "_id"
    fileprivate static let sequenceTitle = "_sequence"

    /// The ID of the document of the row. Only for queries created by ``Query/select(_:)`` without columns; a programming error for others.
    public var documentID: String {
        guard let id = string(forKey: Self.documentIDTitle) else { failWithoutDocument() }
        return id
    }

    /// The sequence of the document of the row at the time of the query. Only for queries created by ``Query/select(_:)`` without columns;
    /// a programming error for others.
    public var sequence: UInt64 {
        guard contains(key: Self.sequenceTitle) else { failWithoutDocument() }
        return UInt64(clamping: int64(forKey: Self.sequenceTitle))
    }

    /// The current document of the row, from the default collection; an empty one if it was deleted since. Each access loads it from disk.
    /// Only for queries created by ``Query/select(_:)`` without columns; a programming error for others.
    public var document: Document {
        let id = documentID
        return database?.document(withID: id) ?? MutableDocument(id: id)
    }

    private func failWithoutDocument() -> Never { _CBLMisuse.inconsistency("Only rows of Query.select() without columns have a document.") }
}

@available(*, deprecated, message: "Use Expression.int(_:) for the numbers")
extension LimitRouter {
    /// Limits the number of rows. A negative limit gives no rows.
    public func limit(_ limit: Int) -> Limit { self.limit(Expression.int(limit)) }

    /// Skips the first `offset` rows and limits the number of rows that follow. A negative limit gives no rows; a negative offset skips
    /// none.
    public func limit(_ limit: Int, offset: Int) -> Limit {
        self.limit(Expression.int(limit), offset: Expression.int(offset))
    }
}

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
