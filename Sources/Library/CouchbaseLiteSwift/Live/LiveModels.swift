import DatabaseRuntime
import ModelCoding
import QueryEngine
import QueryLanguage

/// An asynchronous sequence of the results of a query, as arrays of values: the current values, and all values again whenever they have
/// changed. Created by ``ModelQuery/live(onDecodingError:)`` and ``Query/live(as:)``.
///
/// ```swift
/// for try await found in notes.query(orderBy: [SortDescriptor(\.title)]).live() {
///     show(found)
/// }
/// ```
///
/// The first element has the values at the start of the iteration, even if there are none. Only the newest results are kept until they are
/// taken: a slow task misses intermediate results, but never the last ones. Values are decoded in the background, not on the actor of the
/// task, and only those that are new or have changed: an element shares all other values with the one before. No element is returned for a
/// change after which all values are the same. ``Query/addChangeListener(withQueue:_:)`` describes when the query is run.
///
/// Unless the policy of ``ModelQuery/live(onDecodingError:)`` says otherwise, a document that cannot be decoded is left out, with a warning in
/// the log, and appears when it is repaired.
///
/// Each iterator observes the query for itself, until it is released. It does not retain the database; the sequence does. An iteration ends
/// when the database is closed, when the last reference to the database is released, and when the iterating task is cancelled.
///
/// - Complexity: For each change one run of the query, O(*n* log *n*) to compare *n* rows, and the decoding of the rows that are different.
///   The rows and the values of the last element stay in memory.
public struct LiveModels<Model: Sendable>: AsyncSequence, Sendable {
    /// The errors that iterating may throw; see ``AsyncIterator/next()``.
    public typealias Failure = any Error

    private let source: Swift.Result<LiveSource<Model>, any Error>

    init(_ source: () throws -> LiveSource<Model>) { self.source = Swift.Result(catching: source) }

    /// Starts to observe the query.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observation: observation()) }

    func observation() -> RowObservation<Model> {
        switch source {
        case .success(let source): source.observation()
        case .failure(let error): RowObservation(failingWith: publicError(error))
        }
    }

    /// Returns the values one array after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var observation: RowObservation<Model>

        /// The IDs of the documents that are left out of the values that were returned last, because they cannot be decoded.
        public private(set) var undecodable: [String] = []

        /// Returns the newest values, waiting for a change if the last ones were already taken; `nil` at the end.
        ///
        /// - Throws: Once, the error because of which the query cannot be run; or, if the policy is to throw it, ``CBLError/decodingError``
        ///   because a document cannot be decoded as a `Model`, with the document and the reason in the message.
        public mutating func next() async throws -> [Model]? { try await next(isolation: nil) }

        /// As ``next()``, on the actor `actor`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Model]? {
            guard let change = try await observation.nextOrEnd(isolation: actor) else { return nil }
            undecodable = change.omitted
            return change.items
        }
    }
}

extension ModelQuery where Model: Sendable {
    /// Returns the values that the query finds, as an asynchronous sequence of arrays that stays live.
    ///
    /// Does not access the disk. If the condition is not supported, the iteration throws ``CBLError/invalidQuery``.
    ///
    /// - Parameter policy: What happens if a document cannot be decoded; decided once for each change of the document and iterator. Default:
    ///   it is left out, with a warning in the log. Its ID is in ``LiveQuery/undecodable``, ``ModelDifference/undecodable`` and
    ///   ``LiveModels/AsyncIterator/undecodable``.
    public func live(onDecodingError policy: DecodingErrorPolicy = .skip) -> LiveModels<Model> {
        LiveModels { try LiveSource(self, policy) }
    }
}

extension Query {
    /// Returns the rows of the query as values of a type, in an asynchronous sequence of arrays that stays live.
    ///
    /// ```swift
    /// let query = try database.query("SELECT country, count(*) AS n FROM _ GROUP BY country")
    /// for try await counts in query.live(as: CountryCount.self) { show(counts) }
    /// ```
    ///
    /// Setting ``parameters`` runs the query again at once.
    ///
    /// - Parameter type: The type of the values, decoded as by ``Result/data(as:dataKey:)``.
    public func live<Row: Decodable & Sendable>(as type: Row.Type = Row.self) -> LiveModels<Row> {
        LiveModels { try LiveSource(self, as: type) }
    }
}

/// A query whose rows are decoded as values.
struct LiveSource<Model: Sendable>: Sendable {
    private let query: Query
    private let identity: RowIdentity
    /// Returns `nil` for a row that is left out.
    private let decode: @Sendable (Result) throws -> Model?

    init(_ models: ModelQuery<Model>, _ policy: DecodingErrorPolicy) throws where Model: Decodable {
        let decoder = models.rows
        try self.init(models.query) { row in
            try throwingPublicErrors { try decoder.model(row.row, of: row.table.rows, row.table.source, handling: policy.handle) }
        }
    }

    init(_ query: Query, as type: Model.Type) throws where Model: Decodable { try self.init(query) { try $0.data(as: type) } }

    init(_ query: Query, decode: @escaping @Sendable (Result) throws -> Model?) throws {
        self.query = query
        self.decode = decode
        identity = try throwingPublicErrors { RowIdentity(documentIDsOf: try query.draft.tree.get()) }
    }

    /// Starts to observe the query. It does not retain the database.
    func observation() -> RowObservation<Model> {
        let subscription = RowSubscription(query.observer)
        return RowObservation(subscription, by: identity, converting: LibraryError.thrown) {
            [weak database = query.draft.database, decode] rows in
            guard let database else { return nil }
            let table = ResultTable(rows, database: database)
            return { try decode(Result($0, of: table)) }
        }
    }
}
