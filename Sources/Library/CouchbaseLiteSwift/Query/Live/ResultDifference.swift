import DatabaseRuntime
import QueryEngine

/// The difference between the old and the new results of a query: the rows that were removed, inserted, moved and updated, by indexes as
/// list views expect them.
///
/// To update a list, first remove the rows at ``removed`` and the moved rows, by their old indexes; then insert the rows at ``inserted``
/// and the moved rows, in ascending order of their new indexes; finally redraw the rows at ``updated``. ``apply(to:_:)`` does this for an
/// array.
public struct ResultDifference: Sendable {
    /// A row that is in both the old and the new results.
    public struct Pair: Hashable, Sendable {
        /// The index of the row in the old results.
        public let old: Int
        /// The index of the row in the new results.
        public let new: Int

        init(_ pair: RowDifference.Pair) { (old, new) = (pair.old, pair.new) }
    }

    /// The indexes, in the old results, of the rows that were removed, in ascending order.
    public var removed: [Int] { difference.removed }
    /// The indexes, in the new results, of the rows that were inserted, in ascending order.
    public var inserted: [Int] { difference.inserted }
    /// The rows whose position relative to the remaining rows has changed, in the order of the new results; as few as possible. A row whose
    /// index changed only because rows before it were inserted or removed is not included.
    public var moved: [Pair] { difference.moved.map(Pair.init) }
    /// The rows whose values have changed, in the order of the new results. A row can be both moved and updated.
    public var updated: [Pair] { difference.updated.map(Pair.init) }
    /// All rows of the new results.
    public let rows: ResultRows
    /// All rows of the old results.
    public let oldRows: ResultRows
    private let difference: RowDifference

    init(_ change: RowComparison.Change, in database: Database) {
        difference = change.difference
        rows = ResultRows(ResultTable(change.rows, database: database))
        oldRows = ResultRows(ResultTable(change.oldRows, database: database))
    }

    /// Whether the old and the new results are equal.
    public var isEmpty: Bool { difference.isEmpty }

    /// Updates an array that has one item for each row: items of unchanged rows are kept, the others are made by `makeItem`.
    ///
    /// - Parameters:
    ///   - items: One item for each of the old rows, in order. With any other number of items, all items are made again.
    ///   - makeItem: Makes the item of a row. Called once for each inserted or updated row.
    /// - Throws: The error of `makeItem`; the array is then unchanged.
    /// - Complexity: O(*n*) in the number of rows, plus the calls of `makeItem`.
    public func apply<Item>(to items: inout [Item], _ makeItem: (Result) throws -> Item) rethrows {
        items = try difference.items(from: items, of: oldRows.count, count: rows.count) { try makeItem(rows[$0]) }
    }
}

/// The rows of a result, as a collection. It keeps the rows in memory, and the ``Database`` object alive.
public struct ResultRows: RandomAccessCollection, Sendable {
    private let table: ResultTable

    init(_ table: ResultTable) { self.table = table }

    /// The index of the first row: 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { table.rows.count }

    /// The row at `index`. An index out of range is a programming error.
    public subscript(index: Int) -> Result {
        guard indices.contains(index) else { _CBLMisuse.outOfRange(index, count: count) }
        return Result(index, of: table)
    }
}
