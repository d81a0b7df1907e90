import QueryEngine

/// How the results of a query became others: which rows are gone, new, moved and updated, with indexes as lists on a screen
/// want them.
///
/// Take out of the list the rows at ``removed`` and those that are moved, by their old indexes; then put in the rows at
/// ``inserted`` and those that are moved, lower new indexes first; and show anew what is at ``updated``. ``apply(to:_:)`` does
/// that to an array.
public struct ResultDifference: Sendable {
    /// A row that was there before and still is.
    public struct Pair: Hashable, Sendable {
        /// Its index in the old results.
        public let old: Int
        /// Its index in the new results.
        public let new: Int

        init(_ pair: RowDifference.Pair) {
            (old, new) = (pair.old, pair.new)
        }
    }

    /// The indexes, in the old results, of the rows that are gone, in order.
    public let removed: [Int]
    /// The indexes, in the new results, of the rows that were not there, in order.
    public let inserted: [Int]
    /// The rows that have another place among those that stay, in the order of the new results. They are as few as possible: a row that
    /// merely has another index, because of others before it, is none of them.
    public let moved: [Pair]
    /// The rows with other values than before, in the order of the new results. A row can be moved and updated.
    public let updated: [Pair]
    /// All rows as they are now.
    public let rows: ResultRows
    /// All rows as they were.
    public let oldRows: ResultRows

    init(from old: ResultTable, to new: ResultTable, by identity: RowIdentity) {
        let difference = RowDifference(from: old.rows, to: new.rows, by: identity)
        removed = difference.removed
        inserted = difference.inserted
        moved = difference.moved.map(Pair.init)
        updated = difference.updated.map(Pair.init)
        rows = ResultRows(new)
        oldRows = ResultRows(old)
    }

    /// Whether the results are the same as before.
    public var isEmpty: Bool {
        removed.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
    }

    /// Changes an array that has an item for each row: items of rows that stay as they are are kept, others are made.
    ///
    /// Costs as much as copying the array, and a call for each row that is new or updated.
    ///
    /// - Parameters:
    ///   - items: One item for each of the old rows, in order. With another number of items they all are made anew.
    ///   - makeItem: Makes the item of a row.
    /// - Throws: What `makeItem` throws; the array is as it was then.
    public func apply<Item>(to items: inout [Item], _ makeItem: (Result) throws -> Item) rethrows {
        guard items.count == oldRows.count else {
            items = try rows.map(makeItem)
            return
        }
        let gone = Set(removed).union(moved.lazy.map(\.old))
        var staying = items.indices.lazy.filter { !gone.contains($0) }.makeIterator()
        // The old index of each row; nil when its item must be made.
        var origins = [Int?](repeating: nil, count: rows.count)
        let isInserted = Set(inserted)
        for pair in moved { origins[pair.new] = pair.old }
        for index in origins.indices where origins[index] == nil && !isInserted.contains(index) {
            origins[index] = staying.next()
        }
        for pair in updated { origins[pair.new] = nil }
        items = try origins.enumerated().map { index, origin in try origin.map { items[$0] } ?? makeItem(rows[index]) }
    }
}

/// The rows of a result by their indexes.
public struct ResultRows: RandomAccessCollection, Sendable {
    private let table: ResultTable

    init(_ table: ResultTable) {
        self.table = table
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { table.rows.count }

    /// A row. An index out of range is a programming error.
    public subscript(index: Int) -> Result {
        guard indices.contains(index) else { _CBLMisuse.outOfRange(index, count: count) }
        return Result(index, of: table)
    }
}
