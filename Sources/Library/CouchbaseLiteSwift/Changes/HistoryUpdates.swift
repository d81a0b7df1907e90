import DatabaseRuntime

/// The history of a database from a token on, which stays live; created by ``Database/historyUpdates(since:limit:)``.
///
/// An element is a page with at least one change or deleted collection. When all changes were returned, the sequence waits for the next commit;
/// commits of other processes are noticed within a second. Only one page is in memory.
///
/// The sequence ends when the database is closed and when the iterating task is cancelled. It retains the database.
public struct HistoryUpdates: AsyncSequence, Sendable {
    /// The errors that iterating may throw; see ``AsyncIterator/next()``.
    public typealias Failure = any Error

    fileprivate let database: Database
    fileprivate let token: HistoryToken?
    fileprivate let limit: Int

    /// Starts to follow the changes.
    public func makeAsyncIterator() -> AsyncIterator {
        // Before the first page is read, so that no commit is missed between them.
        AsyncIterator(database: database, token: token, limit: limit, commits: CommitSignal(database.core.listeners))
    }

    /// Returns the pages one after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let database: Database
        fileprivate var token: HistoryToken?
        fileprivate let limit: Int
        fileprivate let commits: CommitSignal

        /// Returns the next page, waiting for a change if necessary; `nil` at the end.
        ///
        /// - Throws: As ``Database/history(since:limit:)``.
        public mutating func next() async throws -> HistoryPage? { try await next(isolation: nil) }

        /// As ``next()``, on the actor `actor`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> HistoryPage? {
            while !Task.isCancelled {
                let page: HistoryPage
                do {
                    page = try await read()
                } catch CBLError.notOpen {
                    return nil
                } catch is CancellationError {
                    return nil
                }
                token = page.token
                if !page.changes.isEmpty || !page.deletedCollections.isEmpty { return page }
                guard await commits.next(isolation: actor) else { return nil }
            }
            return nil
        }

        private nonisolated(nonsending) func read() async throws -> HistoryPage {
            try await database.core.work.reads.run { [database, token, limit] in try database.history(since: token, limit: limit) }
        }
    }
}

extension Database {
    /// Returns the documents of all collections that were changed since a token, in pages, and then those of each further commit.
    ///
    /// ```swift
    /// for try await page in database.historyUpdates(since: token) {
    ///     for change in page.changes { try await mirror(change) }
    ///     try store(page.token)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - token: The token of an earlier page. Default: `nil`, all documents are listed first.
    ///   - limit: The maximum number of changes of a page. Default: 1000.
    public func historyUpdates(since token: HistoryToken? = nil, limit: Int = 1000) -> HistoryUpdates {
        HistoryUpdates(database: self, token: token, limit: limit)
    }
}
