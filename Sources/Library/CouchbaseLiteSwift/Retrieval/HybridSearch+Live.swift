import Base
import DatabaseRuntime
import QueryEngine

/// The hits of a search for words and near vectors, which stay live; created by ``HybridSearch/live(onDecodingError:)``.
///
/// An element has all hits. After the first, there is one after each change of documents, scores or order. The sequence ends when the database
/// is closed and when the iterating task is cancelled.
public struct LiveHybridSearch<Model: Decodable & Sendable>: AsyncSequence, Sendable {
    /// The errors that iterating may throw; see ``AsyncIterator/next()``.
    public typealias Failure = any Error

    fileprivate let search: HybridSearch<Model>
    fileprivate let policy: DecodingErrorPolicy

    /// Starts to follow the changes.
    public func makeAsyncIterator() -> AsyncIterator {
        let database = search.text.found.collection.database
        // Before the first search, so that no commit is missed between them.
        return AsyncIterator(search: search, policy: policy, database: database, commits: CommitSignal(database.core.listeners))
    }

    /// Returns the hits one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let search: HybridSearch<Model>
        fileprivate let policy: DecodingErrorPolicy
        fileprivate let database: Database
        fileprivate let commits: CommitSignal
        fileprivate var last: [State]?

        /// Returns the newest hits, waiting for a change if the last ones were already taken; `nil` at the end.
        ///
        /// - Throws: As ``HybridSearch/all(onDecodingError:)``.
        public mutating func next() async throws -> [HybridHit<Model>]? { try await next(isolation: nil) }

        /// As ``next()``, on the actor `actor`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [HybridHit<Model>]? {
            while !Task.isCancelled {
                do {
                    if let (states, hits) = try await run() {
                        last = states
                        return hits
                    }
                } catch CBLError.notOpen {
                    return nil
                } catch is CancellationError {
                    return nil
                }
                guard await commits.next(isolation: actor) else { return nil }
            }
            return nil
        }

        /// Runs the search; `nil` if nothing has changed.
        private nonisolated(nonsending) func run() async throws -> ([State], [HybridHit<Model>])? {
            try await database.core.work.reads.run { [search, policy, last] in
                try throwingPublicErrors {
                    let found = try search.found()
                    let states = found.map(State.init)
                    return states == last ? nil : (states, try found.compactMap { try search.hit($0, policy) })
                }
            }
        }
    }

    /// What a hit is compared by.
    fileprivate struct State: Equatable, Sendable {
        let id: ExactString
        let revision: ExactString
        let score: Double

        init(_ found: HybridSearch<Model>.Found) {
            (id, revision, score) = (found.item.id, ExactString(found.row.string(at: 1) ?? ""), found.item.score)
        }
    }
}

extension HybridSearch where Model: Sendable {
    /// Returns the hits as an asynchronous sequence of arrays that stays live: the current hits, and all of them again after each change.
    ///
    /// Both searches are run again after each commit of the database.
    ///
    /// - Parameter policy: What happens if a document cannot be decoded. Default: it is left out, with a warning in the log.
    public func live(onDecodingError policy: DecodingErrorPolicy = .skip) -> LiveHybridSearch<Model> {
        LiveHybridSearch(search: self, policy: policy)
    }
}
