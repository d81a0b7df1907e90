/// A whole query (Query 1.2).
package struct Select: Sendable, Hashable {
    package var isDistinct: Bool

    /// The result columns. None means the two columns `_id` and `_sequence`.
    package var items: [SelectItem]

    /// The main source and what is joined to it. None means the default collection under the alias `_doc`.
    package var sources: [Source]

    /// The WHERE clause.
    package var condition: QueryExpression?

    package var grouping: [QueryExpression]

    /// The HAVING clause; it requires ``grouping``.
    package var groupCondition: QueryExpression?

    package var ordering: [Ordering]

    /// How many rows at most; a negative number means none.
    package var limit: QueryExpression?

    /// How many rows to leave out; a negative number means none.
    package var offset: QueryExpression?

    package init(
        isDistinct: Bool = false,
        items: [SelectItem] = [],
        sources: [Source] = [],
        condition: QueryExpression? = nil,
        grouping: [QueryExpression] = [],
        groupCondition: QueryExpression? = nil,
        ordering: [Ordering] = [],
        limit: QueryExpression? = nil,
        offset: QueryExpression? = nil
    ) {
        self.isDistinct = isDistinct
        self.items = items
        self.sources = sources
        self.condition = condition
        self.grouping = grouping
        self.groupCondition = groupCondition
        self.ordering = ordering
        self.limit = limit
        self.offset = offset
    }
}

/// One result column.
package struct SelectItem: Sendable, Hashable {
    package var expression: QueryExpression

    /// The title given by AS; without one the column is named by the rules of Query 4.1.
    package var title: String?

    package init(_ expression: QueryExpression, title: String? = nil) {
        self.expression = expression
        self.title = title
    }
}

/// One term of ORDER BY.
package struct Ordering: Sendable, Hashable {
    package var expression: QueryExpression
    package var isDescending: Bool

    package init(_ expression: QueryExpression, isDescending: Bool = false) {
        self.expression = expression
        self.isDescending = isDescending
    }
}
