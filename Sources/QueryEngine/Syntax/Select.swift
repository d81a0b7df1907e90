/// A whole query (Query 1.2).
package struct Select: Sendable, Hashable {
    package var isDistinct: Bool

    /// The result columns. If empty, the columns are `_id` and `_sequence`.
    package var items: [SelectItem]

    /// The main source and the sources joined to it. If empty, the source is the default collection under the alias `_doc`.
    package var sources: [Source]

    /// The WHERE clause.
    package var condition: QueryExpression?

    package var grouping: [QueryExpression]

    /// The HAVING clause; it requires ``grouping``.
    package var groupCondition: QueryExpression?

    package var ordering: [Ordering]

    /// The maximum number of rows. A negative number means 0.
    package var limit: QueryExpression?

    /// The number of rows to skip. A negative number means 0.
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

extension Select {
    /// The number of result columns.
    package var columnCount: Int { items.isEmpty ? 2 : items.count }
}

/// One result column.
package struct SelectItem: Sendable, Hashable {
    package var expression: QueryExpression

    /// The title given by AS; if `nil`, the column is named by the rules of Query 4.1.
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
