import DatabaseRuntime
import QueryEngine

/// The difference between the old and the new values of a live query, by indexes as list views expect them. The values of one document are
/// matched with each other; values of a query that does not select document IDs, only if they are equal.
///
/// To update a list, first remove the rows at ``removed`` and the moved rows, by their old indexes; then insert the rows at ``inserted`` and
/// the moved rows, in ascending order of their new indexes; finally redraw the rows at ``updated``. ``apply(to:_:)`` does this for an array.
public struct ModelDifference<Model: Sendable>: Sendable {
    /// The old and the new index of a value.
    public typealias Pair = ResultDifference.Pair

    /// The values before the change.
    public let oldModels: [Model]
    /// The values after the change.
    public let models: [Model]
    /// The IDs of the documents that are left out of ``models`` because they cannot be decoded.
    public let undecodable: [String]
    private let rows: RowDifference

    init(_ change: RowObservation<Model>.Change) {
        (rows, oldModels, models, undecodable) = (change.difference, change.oldItems, change.items, change.omitted)
    }

    /// The indexes, in ``oldModels``, of the values that were removed, in ascending order.
    public var removed: [Int] { rows.removed }
    /// The indexes, in ``models``, of the values that were inserted, in ascending order.
    public var inserted: [Int] { rows.inserted }
    /// The values whose position relative to the remaining values has changed, in the order of ``models``; as few as possible, unless
    /// documents are left out because they cannot be decoded.
    public var moved: [Pair] { rows.moved.map(Pair.init) }
    /// The values that have changed, in the order of ``models``. A value can be both moved and updated.
    public var updated: [Pair] { rows.updated.map(Pair.init) }
    /// Whether nothing has changed except ``undecodable``.
    public var isEmpty: Bool { rows.isEmpty }

    /// Updates an array that has one item for each value: items of unchanged values are kept, the others are made by `makeItem`.
    ///
    /// - Parameters:
    ///   - items: One item for each of ``oldModels``, in order. With any other number of items, all items are made again.
    ///   - makeItem: Makes the item of a value. Called once for each inserted or updated value.
    /// - Throws: The error of `makeItem`; the array is then unchanged.
    /// - Complexity: O(*n*) in the number of values, plus the calls of `makeItem`.
    public func apply<Item>(to items: inout [Item], _ makeItem: (Model) throws -> Item) rethrows {
        items = try rows.items(from: items, of: oldModels.count, count: models.count) { try makeItem(models[$0]) }
    }
}

/// The changes of a live query as an asynchronous sequence, created by ``LiveModels/differences()``.
///
/// In the first element all values are inserted, even if there are none. A slow task gets several changes combined in one element, which
/// always leads from the values of the previous element to the current ones. Otherwise the rules of ``LiveModels`` apply.
public struct ModelDifferences<Model: Sendable>: AsyncSequence, Sendable {
    /// The errors that iterating may throw; see ``AsyncIterator/next()``.
    public typealias Failure = any Error

    fileprivate let models: LiveModels<Model>

    /// Starts to observe the query.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observation: models.observation()) }

    /// Returns the differences one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var observation: RowObservation<Model>

        /// Returns what has changed since the last call, waiting for a change if necessary; `nil` at the end.
        ///
        /// - Throws: As the iterator of ``LiveModels``.
        public mutating func next() async throws -> ModelDifference<Model>? { try await next(isolation: nil) }

        /// As ``next()``, on the actor `actor`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ModelDifference<Model>? {
            try await observation.nextOrEnd(isolation: actor).map { ModelDifference($0) }
        }
    }
}

extension LiveModels {
    /// Returns the changes of the values, for list views that animate them.
    ///
    /// ```swift
    /// for try await difference in collection.live(Note.self).differences() {
    ///     table.update(difference)
    /// }
    /// ```
    public func differences() -> ModelDifferences<Model> { ModelDifferences(models: self) }
}
