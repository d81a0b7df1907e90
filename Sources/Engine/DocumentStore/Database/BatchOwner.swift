/// Identifies one of several users of a file in a process, which is a `Database` object.
///
/// A batch belongs to one user. Until it is committed, the other users see the previous state, even on the thread that has the batch open
/// (API 2).
package struct BatchOwner: Equatable, Sendable {
    private let object: ObjectIdentifier

    /// Identifies the user that is this object. The object is not retained, and must exist as long as its batch is open.
    package init(_ object: AnyObject) {
        self.object = ObjectIdentifier(object)
    }
}

extension Writer {
    /// The users of the writer, see ``BatchOwner``.
    struct BatchUsers {
        /// The owner of the open batch.
        fileprivate var owner: BatchOwner?
        /// The user on whose behalf the thread is working.
        fileprivate var current: BatchOwner?
    }

    /// Whether the current user of this thread may see its open transaction: `false` if that is a batch of another user.
    var isBatchVisible: Bool { guarded.users.owner == nil || guarded.users.owner == guarded.users.current }

    /// Runs `body`, which is inside a transaction, and marks the transaction as a batch of `user`.
    fileprivate func ownBatch<Result>(of user: BatchOwner, _ body: () throws -> Result) rethrows -> Result {
        guard guarded.users.owner == nil else { return try body() }
        let previous = guarded.users.current
        guarded.users = BatchUsers(owner: user, current: user)
        defer { guarded.users = BatchUsers(owner: nil, current: previous) }
        return try body()
    }

    /// Runs `body` with `user` as the current user of this thread.
    fileprivate func work<Result>(for user: BatchOwner, _ body: () throws -> Result) rethrows -> Result {
        let previous = guarded.users.current
        guarded.users.current = user
        defer { guarded.users.current = previous }
        return try body()
    }
}

extension DatabaseFile {
    /// Runs `body` on behalf of a user, who does not see batches of other users: reads see the last commit, and transactions throw an
    /// error.
    ///
    /// Takes a few nanoseconds if the calling thread has no transaction open.
    package func onBehalf<Result>(of user: BatchOwner, _ body: () throws -> Result) rethrows -> Result {
        guard let writer = writerIfWritable, writer.hasTransactionOfThisThread else { return try body() }
        return try writer.work(for: user, body)
    }

    /// Runs `body` in a transaction that is a batch of `user`. Inside a batch of the same user on the same thread, it joins that batch.
    /// Otherwise blocks until other writers have finished.
    ///
    /// - Throws: `batchOfAnother` inside a batch of another user on the same thread, because waiting for that batch would be a deadlock.
    package func batch<Result>(of user: BatchOwner, _ body: () throws -> Result) throws -> Result {
        try onBehalf(of: user) {
            try transaction { writer in try writer.ownBatch(of: user, body) }
        }
    }
}
