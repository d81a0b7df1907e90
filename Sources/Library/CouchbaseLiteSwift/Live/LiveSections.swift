import DatabaseRuntime
import QueryEngine

/// A section of the results of a query: the values with the same key, in the order of the query.
public struct ModelSection<Key: Hashable & Sendable, Model: Sendable>: Sendable, Identifiable {
    /// What the values have in common.
    public let key: Key
    /// The values, at least one.
    public let models: [Model]
    /// The key.
    public var id: Key { key }
}

/// The sections of a live query, and how they differ from the sections before, by indexes as list views expect them.
///
/// To update a list, first remove the rows at ``removed`` and the moved rows, by their old places, and the sections at ``removedSections``; then
/// insert the sections at ``insertedSections`` with their rows, and the rows at ``inserted`` and the moved rows, in ascending order of their new
/// places; finally redraw the rows at ``updated``.
///
/// Rows of removed and inserted sections are not listed. A section whose order relative to the other sections has changed is removed and inserted
/// again, because list views do not accept that a section is moved and changed together.
public struct SectionChange<Key: Hashable & Sendable, Model: Sendable>: Sendable {
    /// The place of a value.
    public struct Place: Hashable, Sendable {
        /// The index of the section.
        public let section: Int
        /// The index of the value in the section.
        public let item: Int

        init(_ place: SectionDifference.Place) { (section, item) = (place.section, place.item) }
    }

    /// The places of a value before and after the change.
    public struct Pair: Hashable, Sendable {
        /// The place in ``SectionChange/oldSections``.
        public let old: Place
        /// The place in ``SectionChange/sections``.
        public let new: Place

        init(_ pair: SectionDifference.Pair) { (old, new) = (Place(pair.old), Place(pair.new)) }
    }

    /// The sections before the change; none the first time.
    public let oldSections: [ModelSection<Key, Model>]
    /// The sections after the change, in the order in which the query returns their first values.
    public let sections: [ModelSection<Key, Model>]
    /// The IDs of the documents that are left out because they cannot be decoded.
    public let undecodable: [String]
    private let difference: SectionDifference

    fileprivate init(
        _ old: [ModelSection<Key, Model>],
        _ new: [ModelSection<Key, Model>],
        _ undecodable: [String],
        _ changes: SectionDifference
    ) {
        (oldSections, sections, self.undecodable, difference) = (old, new, undecodable, changes)
    }

    /// The indexes, in ``oldSections``, of the sections that were removed, in ascending order.
    public var removedSections: [Int] { difference.removedSections }
    /// The indexes, in ``sections``, of the sections that were inserted, in ascending order.
    public var insertedSections: [Int] { difference.insertedSections }
    /// The places, in ``oldSections``, of the values that were removed, in ascending order.
    public var removed: [Place] { difference.removed.map(Place.init) }
    /// The places, in ``sections``, of the values that were inserted, in ascending order.
    public var inserted: [Place] { difference.inserted.map(Place.init) }
    /// The values that are now in another section, or whose position relative to the other values of their section has changed, by new place.
    public var moved: [Pair] { difference.moved.map(Pair.init) }
    /// The values that have changed, by new place. A value can be both moved and updated.
    public var updated: [Pair] { difference.updated.map(Pair.init) }
    /// Whether nothing has changed except ``undecodable``.
    public var isEmpty: Bool { difference.isEmpty }
}

/// An asynchronous sequence of the results of a query in sections, with their changes; created by
/// ``ModelQuery/live(sectionedBy:onDecodingError:)`` and ``LiveModels/sections(by:)``.
///
/// The first element has all sections as inserted ones, even if there are none. Otherwise the rules of ``LiveModels`` apply: a slow task gets
/// several changes combined in one element, which always leads from the sections of the element before to the current ones.
public struct LiveSections<Key: Hashable & Sendable, Model: Sendable>: AsyncSequence, Sendable {
    /// The errors that iterating may throw; see ``AsyncIterator/next()``.
    public typealias Failure = any Error

    fileprivate let models: LiveModels<Model>
    fileprivate let key: @Sendable (Model) -> Key

    /// Starts to observe the query.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observation: models.observation(), key: key) }

    /// Returns the changes one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var observation: RowObservation<Model>
        fileprivate let key: @Sendable (Model) -> Key
        private var rows = RowSections<Key>([])
        private var sections: [ModelSection<Key, Model>] = []

        fileprivate init(observation: RowObservation<Model>, key: @escaping @Sendable (Model) -> Key) {
            (self.observation, self.key) = (observation, key)
        }

        /// Returns the newest sections and what has changed since the last call, waiting for a change if necessary; `nil` at the end.
        ///
        /// - Throws: As the iterator of ``LiveModels``.
        public mutating func next() async throws -> SectionChange<Key, Model>? { try await next(isolation: nil) }

        /// As ``next()``, on the actor `actor`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> SectionChange<Key, Model>? {
            guard let change = try await observation.nextOrEnd(isolation: actor) else { return nil }
            let (oldRows, old) = (rows, sections)
            let difference: SectionDifference
            (rows, sections, difference) = await Self.group(change, oldRows, by: key)
            return SectionChange(old, sections, change.omitted, difference)
        }

        /// Runs on no actor, because grouping many values takes a while.
        @concurrent
        private static func group(
            _ change: RowObservation<Model>.Change,
            _ old: RowSections<Key>,
            by key: @Sendable (Model) -> Key
        ) async -> (RowSections<Key>, [ModelSection<Key, Model>], SectionDifference) {
            let rows = RowSections(change.items.lazy.map(key))
            let sections = zip(rows.keys, rows.rows).map { key, rows in ModelSection(key: key, models: rows.map { change.items[$0] }) }
            return (rows, sections, SectionDifference(from: old, to: rows, change.difference))
        }
    }
}

extension LiveModels {
    /// Returns the values in sections, with the changes of the sections.
    ///
    /// - Parameter key: Returns what the values of a section have in common: a key path such as `\.category`, or a function. It is called in the
    ///   background for every value after each change.
    public func sections<Key: Hashable & Sendable>(by key: @escaping @Sendable (Model) -> Key) -> LiveSections<Key, Model> {
        LiveSections(models: self, key: key)
    }
}

extension ModelQuery where Model: Sendable {
    /// Returns the values that the query finds in sections, as an asynchronous sequence that stays live, for lists with sections.
    ///
    /// ```swift
    /// let query = recipes.query(orderBy: [SortDescriptor(\.category), SortDescriptor(\.title)])
    /// for try await change in query.live(sectionedBy: \.category) { list.update(change) }
    /// ```
    ///
    /// The sections are in the order in which the query returns their first values, so sort by the same property first. Does not access the
    /// disk. If the condition is not supported, the iteration throws ``CBLError/invalidQuery``.
    ///
    /// - Parameters:
    ///   - key: Returns what the values of a section have in common; see ``LiveModels/sections(by:)``.
    ///   - policy: What happens if a document cannot be decoded. Default: it is left out, with a warning in the log.
    /// - Complexity: For each change that of ``live(onDecodingError:)``, and O(*n* log *n*) in the number of values.
    public func live<Key: Hashable & Sendable>(
        sectionedBy key: @escaping @Sendable (Model) -> Key,
        onDecodingError policy: DecodingErrorPolicy = .skip
    ) -> LiveSections<Key, Model> {
        live(onDecodingError: policy).sections(by: key)
    }
}
