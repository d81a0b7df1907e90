/// A whole query (Query 1.2).
package struct SelectStatement: Sendable, Hashable {
    /// Whether equal rows are returned only once.
    package var isDistinct: Bool

    /// The result columns. If empty, the columns are `_id` and `_sequence`.
    package var items: [SelectItem]

    /// The main source and the sources joined to it. If empty, the source is the default collection under the alias `_doc`.
    package var sources: [Source]

    /// Whether the query has no source at all, but one row, as SQL++ without FROM; ``sources`` is empty then.
    package var hasNoSource = false

    /// The WHERE clause.
    package var condition: QueryExpression?

    /// The expressions of GROUP BY; without any, aggregates are computed from all rows.
    package var grouping: [QueryExpression] = []

    /// The HAVING clause; it requires ``grouping``.
    package var groupCondition: QueryExpression?

    /// The queries whose rows are combined with those of this one, from left to right. ``ordering``, ``limit`` and ``offset`` apply to the
    /// result, whose columns have the titles of this query.
    package var combinations: [Combination] = []

    /// The terms of ORDER BY, the most significant first. Without any, the order of the rows is not defined.
    package var ordering: [OrderingTerm]

    /// The maximum number of rows. A negative number means 0.
    package var limit: QueryExpression?

    /// The number of rows to skip. A negative number means 0.
    package var offset: QueryExpression?

    package init(
        isDistinct: Bool = false,
        items: [SelectItem] = [],
        sources: [Source] = [],
        condition: QueryExpression? = nil,
        ordering: [OrderingTerm] = [],
        limit: QueryExpression? = nil,
        offset: QueryExpression? = nil
    ) {
        (self.isDistinct, self.items, self.sources, self.condition) = (isDistinct, items, sources, condition)
        (self.ordering, self.limit, self.offset) = (ordering, limit, offset)
    }
}

extension SelectStatement {
    /// Whether the query or one nested in it has ``combinations``.
    package var combinesQueries: Bool {
        var isFound = !combinations.isEmpty
        forEachExpression { expression in
            isFound = isFound || expression.contains { if case .select(let nested) = $0 { nested.combinesQueries } else { false } }
        }
        return isFound
    }

    /// The number of result columns.
    package var columnCount: Int { items.isEmpty ? 2 : items.count }
}

/// A query whose rows are combined with those before it (Query 12.4).
package struct Combination: Sendable, Hashable {
    /// The raw value is the spelling in SQL and in JSON. All but UNION ALL remove duplicates.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The rows of both queries.
        case union = "UNION"
        /// The rows of both queries, with duplicates.
        case unionAll = "UNION ALL"
        /// The rows that both queries have.
        case intersect = "INTERSECT"
        /// The rows of the first query that the second does not have.
        case except = "EXCEPT"
    }

    /// How the rows are combined.
    package var kind: Kind

    /// The query, without ordering, limit and combinations of its own.
    package var select: SelectStatement

    package init(_ kind: Kind, _ select: SelectStatement) { (self.kind, self.select) = (kind, select) }
}

/// One result column.
package struct SelectItem: Sendable, Hashable {
    /// The value of the column.
    package var expression: QueryExpression

    /// The title given by AS; if `nil`, the column is named by the rules of Query 4.1.
    package var title: String?

    /// Whether the expression gives the column no title, which it would give otherwise.
    package var isUntitled = false

    package init(_ expression: QueryExpression, title: String? = nil) { (self.expression, self.title) = (expression, title) }
}

/// One term of ORDER BY.
package struct OrderingTerm: Sendable, Hashable {
    /// The value that is compared. It need not be a result column.
    package var expression: QueryExpression
    /// Whether greater values come first.
    package var isDescending: Bool

    package init(_ expression: QueryExpression, isDescending: Bool = false) {
        (self.expression, self.isDescending) = (expression, isDescending)
    }
}
