// The previews' queries.

extension Query {
    /// Begins a query. Without columns its rows say which documents they stand for: see ``Result/document``.
    @available(*, deprecated, message: "Use QueryBuilder.select(_:)")
    public static func select(_ results: any SelectResultProtocol...) -> Select {
        QueryBuilder.select(results.isEmpty ? identity : results)
    }

    /// Begins a query that gives equal rows once; see ``select(_:)``.
    @available(*, deprecated, message: "Use QueryBuilder.selectDistinct(_:)")
    public static func selectDistinct(_ results: any SelectResultProtocol...) -> Select {
        QueryBuilder.selectDistinct(results.isEmpty ? identity : results)
    }

    /// The columns that say which document a row stands for.
    @available(*, deprecated)
    private static var identity: [any SelectResultProtocol] {
        [
            SelectResult.expression(Meta.id).as(Result.documentIDTitle),
            SelectResult.expression(Meta.sequence).as(Result.sequenceTitle),
        ]
    }

    /// Runs the query; see ``execute()``.
    @available(*, deprecated, renamed: "execute()")
    public func run() throws -> ResultSet {
        try execute()
    }

    fileprivate func limiting(_ limit: Int, _ offset: Int?) -> Limit {
        Limit(draft.limiting(Expression.int(limit), offset.map { Expression.int($0) }))
    }
}

@available(*, deprecated, message: "Select Meta.id, and get the document from its collection")
extension Result {
    fileprivate static let documentIDTitle = "_id"
    fileprivate static let sequenceTitle = "_sequence"

    /// The ID of the document the row stands for. Only for queries made by ``Query/select(_:)`` without columns; for others
    /// a programming error.
    public var documentID: String {
        guard let id = string(forKey: Self.documentIDTitle) else { failWithoutDocument() }
        return id
    }

    /// The sequence of the document the row stands for, as it was then. Only for queries made by ``Query/select(_:)`` without
    /// columns; for others a programming error.
    public var sequence: UInt64 {
        guard contains(key: Self.sequenceTitle) else { failWithoutDocument() }
        return UInt64(clamping: int64(forKey: Self.sequenceTitle))
    }

    /// The document the row stands for, as it is now in the default collection; an empty one if it has been deleted since. Only
    /// for queries made by ``Query/select(_:)`` without columns; for others a programming error.
    public var document: Document {
        let id = documentID
        return database?.document(withID: id) ?? MutableDocument(id: id)
    }

    private func failWithoutDocument() -> Never {
        _CBLMisuse.inconsistency("Only rows of Query.select() without columns know their documents.")
    }
}

@available(*, deprecated, message: "Use Expression.int(_:) for the numbers")
extension From {
    /// The most rows there may be.
    public func limit(_ limit: Int) -> Limit { limiting(limit, nil) }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: Int, offset: Int) -> Limit { limiting(limit, offset) }
}

@available(*, deprecated, message: "Use Expression.int(_:) for the numbers")
extension Joins {
    /// The most rows there may be.
    public func limit(_ limit: Int) -> Limit { limiting(limit, nil) }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: Int, offset: Int) -> Limit { limiting(limit, offset) }
}

@available(*, deprecated, message: "Use Expression.int(_:) for the numbers")
extension Where {
    /// The most rows there may be.
    public func limit(_ limit: Int) -> Limit { limiting(limit, nil) }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: Int, offset: Int) -> Limit { limiting(limit, offset) }
}

@available(*, deprecated, message: "Use Expression.int(_:) for the numbers")
extension GroupBy {
    /// The most rows there may be.
    public func limit(_ limit: Int) -> Limit { limiting(limit, nil) }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: Int, offset: Int) -> Limit { limiting(limit, offset) }
}

@available(*, deprecated, message: "Use Expression.int(_:) for the numbers")
extension Having {
    /// The most rows there may be.
    public func limit(_ limit: Int) -> Limit { limiting(limit, nil) }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: Int, offset: Int) -> Limit { limiting(limit, offset) }
}

@available(*, deprecated, message: "Use Expression.int(_:) for the numbers")
extension OrderBy {
    /// The most rows there may be.
    public func limit(_ limit: Int) -> Limit { limiting(limit, nil) }

    /// The most rows there may be, and how many to leave out before them.
    public func limit(_ limit: Int, offset: Int) -> Limit { limiting(limit, offset) }
}
