/// The columns of a predicate query: those the app asked for, and those added for the document's identity (Query 9.1).
package struct PredicateRowShape: Sendable {
    /// The number of columns the app asked for; further columns may follow.
    package private(set) var columnCount: Int
    /// The column with the document's ID, followed by the column with the sequence; `nil` if rows do not belong to single documents.
    package private(set) var identityColumn: Int?

    /// The names of the query parameters for offset and limit.
    package static let offsetParameter = "opt_offset"
    /// The name of the query parameter for the limit.
    package static let limitParameter = "opt_limit"

    /// The shape of the rows of an invalid query.
    package static let none = PredicateRowShape(columnCount: 0)

    /// Adds what every predicate query has: limit and offset as parameters and, if each row belongs to a single document, the columns that
    /// identify it.
    ///
    /// - Parameter sortsByID: Whether such rows are ordered by document ID if the query has no ordering.
    package init(completing select: inout SelectStatement, sortsByID: Bool) {
        self.init(columnCount: select.items.count)
        addIdentity(to: &select, sortsByID: sortsByID)
        select.limit = .function(name: "ifmissing", arguments: [.parameter(Self.limitParameter), select.limit ?? .integer(.max)])
        select.offset = .function(name: "ifmissing", arguments: [.parameter(Self.offsetParameter), select.offset ?? .integer(0)])
    }

    /// Checks that all parameters of a query have a value, except for those of offset and limit.
    ///
    /// - Throws: ``QueryError`` of the kind `invalidQueryParameter`.
    package static func checkParameters(_ names: [String], _ hasValue: (String) -> Bool) throws(QueryError) {
        for name in names where name != offsetParameter && name != limitParameter && !hasValue(name) {
            throw QueryError(.invalidQueryParameter, "The parameter '$\(name)' has no value")
        }
    }

    private init(columnCount: Int) { self.columnCount = columnCount }

    private mutating func addIdentity(to select: inout SelectStatement, sortsByID: Bool) {
        let identity = [SelectItem(.property([.key("_id")])), SelectItem(.property([.key("_sequence")]))]
        let count = columnCount
        if count == 0 {
            select.items = identity
            columnCount = identity.count
        }
        guard !select.isGrouped, select.sources.count < 2 else { return }
        if count == 0 {
            identityColumn = 0
        } else if !select.isDistinct {
            identityColumn = count
            select.items += identity
        }
        if sortsByID, select.ordering.isEmpty, identityColumn != nil { select.ordering = [OrderingTerm(identity[0].expression)] }
    }
}
