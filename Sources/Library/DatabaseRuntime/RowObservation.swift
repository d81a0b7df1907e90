import Base
import Fleece
package import QueryEngine

/// Observes a query, and makes items of the rows that are new or have changed. It does not retain the database.
package struct RowObservation<Item: Sendable>: Sendable {
    /// What has changed since the rows that were returned before.
    package struct Change: Sendable {
        /// Which items were inserted, deleted, moved or changed, by their indexes in the two lists.
        package let difference: RowDifference
        /// The items that were returned before; none the first time.
        package let oldItems: [Item]
        /// The items of all present rows that have one, in order. Those of unchanged rows are the same as before.
        package let items: [Item]
        /// The texts in the first column of the rows that have no item, which is the document's ID in a query for documents.
        package let omitted: [String]
    }

    /// Returns the function that makes the item of a row from the row's index, or `nil` if the row has none; `nil` if the database was
    /// released.
    package typealias ItemMaker = @Sendable (RecordedRows) -> (@Sendable (_ row: Int) throws -> Item?)?

    /// Returns the error that the observation throws for an error.
    package typealias ErrorConversion = @Sendable (any Error) -> any Error

    private let subscription: RowSubscription
    private let identity: RowIdentity
    private let convert: ErrorConversion
    private let itemMaker: ItemMaker
    /// The rows that were returned last, and what was made of them.
    private struct Made {
        let rows: RecordedRows
        /// For each row its item.
        let items: [Item?]
        let omitted: [String]
    }
    /// `nil` before the first time.
    private var last: Made?
    /// Whether the last rows could not be converted. Then the next ones are returned even if they are those of the time before.
    private var hasFailed = false
    private var isEnded = false

    /// - Parameters:
    ///   - subscription: The results of the query.
    ///   - identity: Determines which rows are the same.
    ///   - convert: Converts all errors.
    ///   - itemMaker: Called with each new result.
    package init(
        _ subscription: RowSubscription,
        by identity: RowIdentity,
        converting convert: @escaping ErrorConversion = { $0 },
        _ itemMaker: @escaping ItemMaker
    ) {
        (self.subscription, self.identity) = (subscription, identity)
        (self.convert, self.itemMaker) = (convert, itemMaker)
    }

    /// Creates an observation of a query that cannot be observed.
    package init(failingWith error: any Error) {
        self.init(RowSubscription(failingWith: error), by: .wholeRow) { _ in nil }
    }

    /// Returns what has changed since the last call, waiting for a change if necessary; `nil` at the end, or if the task is cancelled.
    ///
    /// - Throws: The error because of which the query cannot be run, after which there is only the end; or the error of a row of which no
    ///   item can be made, after which the observation continues.
    package mutating func next(isolation: isolated (any Actor)?) async throws -> Change? {
        do { return try await nextChange(isolation: isolation) } catch { throw convert(error) }
    }

    private mutating func nextChange(isolation: isolated (any Actor)?) async throws -> Change? {
        while let new = try await subscription.next(isolation: isolation), let makeItem = itemMaker(new) {
            do {
                let (made, change) = try await Self.compare(last, new, identity, makeItem)
                let mustReturn = hasFailed || last.map { !$0.omitted.elementsEqual(made.omitted, by: { $0.isExactly($1) }) } ?? true
                (last, hasFailed) = (made, false)
                if mustReturn || !change.difference.isEmpty { return change }
            } catch {
                if Task.isCancelled { return nil }
                hasFailed = true
                throw error
            }
        }
        return nil
    }

    /// Returns what has changed; `nil` at the end. After an error there is only the end.
    package mutating func nextOrEnd(isolation: isolated (any Actor)?) async throws -> Change? {
        if isEnded { return nil }
        isEnded = true
        let change = try await next(isolation: isolation)
        isEnded = change == nil
        return change
    }

    /// Runs on no actor, because making items of many rows takes a while.
    @concurrent
    private static func compare(
        _ last: Made?,
        _ new: RecordedRows,
        _ identity: RowIdentity,
        _ makeItem: @Sendable (Int) throws -> Item?
    ) async throws -> (Made, Change) {
        let difference = RowDifference(from: last?.rows ?? RecordedRows(columnTitles: new.columnTitles), to: new, by: identity)
        let old = last?.items ?? []
        let items = try difference.items(from: old, of: old.count, count: new.count) { row in
            try Task.checkCancellation()
            return try makeItem(row)
        }
        let omitted = items.indices.filter { items[$0] == nil }.map { new.value(row: $0, column: 0)?.string ?? "" }
        let change = Change(
            difference: difference.ofRows(isKept: old.map { $0 != nil }, items.map { $0 != nil }),
            oldItems: old.compactMap(\.self),
            items: items.compactMap(\.self),
            omitted: omitted
        )
        return (Made(rows: new, items: items, omitted: omitted), change)
    }
}

/// Compares each result of a query with the one before it.
package struct RowComparison: Sendable {
    /// What distinguishes a result from the one before it.
    package struct Change: Sendable {
        /// Which rows were inserted, deleted, moved or changed, by their indexes in the two results.
        package let difference: RowDifference
        /// The result before; without rows the first time.
        package let oldRows: RecordedRows
        /// The new result.
        package let rows: RecordedRows
    }

    /// The rows of the last result; `nil` before the first one.
    private var last: RecordedRows?

    package init() {}

    /// Returns what has changed since the last call; `nil` if nothing has. All rows of the first result are inserted, even if
    /// there are none.
    ///
    /// - Complexity: O(*n* log *n*) in the number of rows.
    package mutating func change(to new: RecordedRows, by identity: RowIdentity) -> Change? {
        let old = last ?? RecordedRows(columnTitles: new.columnTitles)
        let difference = RowDifference(from: old, to: new, by: identity)
        defer { last = new }
        return last != nil && difference.isEmpty ? nil : Change(difference: difference, oldRows: old, rows: new)
    }
}
