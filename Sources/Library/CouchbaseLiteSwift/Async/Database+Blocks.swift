import DatabaseRuntime
import DocumentStore
import QueryEngine

extension Database {
    /// Runs `body` without blocking a thread of the task, and returns its result. All reads in `body` see one state of the database, also if
    /// others commit meanwhile.
    ///
    /// `body` uses the functions that are not `async`:
    ///
    /// ```swift
    /// let (note, count) = try await database.read {
    ///     (try notes.get(id), try notes.query().count())
    /// }
    /// ```
    ///
    /// Blocks of ``read(_:)`` run concurrently with writers and with each other, at most four at the same time; further ones are queued. As
    /// long as a block runs, the files of the database cannot become smaller, and closing the database waits.
    ///
    /// If the task is cancelled before `body` has begun, `CancellationError` is thrown. Later, queries in `body` are stopped and throw
    /// `CancellationError`; everything else is completed. ``Query/cancel()`` during a block has the same effect on the queries of the block.
    ///
    /// - Throws: The error of `body`, unchanged; `CancellationError`; ``CBLError/notOpen`` if the database is closed. A write in `body` throws
    ///   ``CBLError/notWriteable``.
    public nonisolated(nonsending) func read<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await core.blocks.run(on: core.work.reads) { [self] in
            var app = AppErrors()
            do {
                return try withFile { file in try file.reading { try app.record(body) } }
            } catch {
                throw app.thrown ?? publicError(error)
            }
        }
    }

    /// Runs `body` in one transaction, like ``batch(_:)``, without blocking a thread of the task, and returns its result.
    ///
    /// `body` uses the functions that are not `async`, because a transaction belongs to one thread and cannot wait for tasks:
    ///
    /// ```swift
    /// let saved = try await database.write {
    ///     for document in documents { try collection.save(document: document) }
    ///     return collection.count
    /// }
    /// ```
    ///
    /// Blocks run one after another, in the order of the calls. Inside of a block, reads see its changes; elsewhere they are seen after the
    /// commit.
    ///
    /// If the task is cancelled before `body` has begun, `CancellationError` is thrown and nothing is changed. Later, queries and statements
    /// in `body` throw `CancellationError`, and everything else is completed: if the function returns, the changes were committed, and if it
    /// throws, nothing was.
    ///
    /// - Throws: The error of `body`, unchanged; `CancellationError`; the errors of ``batch(_:)``.
    @discardableResult
    public nonisolated(nonsending) func write<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await core.blocks.run(on: core.work.writes) { [self] in try batch(body) }
    }

    /// What cancels a query on the calling thread: the block in which it runs, or nothing yet.
    var cancellation: QueryCancellation { core.blocks.cancellation }
}
