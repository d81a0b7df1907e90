/// Stands for one of several users of a file in a process: a `Database` object.
///
/// A batch is its user's own: until it is committed, the others see what was there before, also on the thread that has it open (API 2).
package struct BatchOwner: Equatable, Sendable {
    private let object: ObjectIdentifier

    package init(_ object: AnyObject) {
        self.object = ObjectIdentifier(object)
    }
}

extension Writer {
    /// Whether the transaction of this thread, if there is one, is no batch of another user than the one for whom the thread works.
    var isBatchVisible: Bool { batchOwner == nil || batchOwner == currentUser }

    /// Runs `body`, which is inside a transaction, as the batch of a user.
    fileprivate func ownBatch<Result>(of user: BatchOwner, _ body: () throws -> Result) rethrows -> Result {
        guard batchOwner == nil else { return try body() }
        let previous = currentUser
        (batchOwner, currentUser) = (user, user)
        defer { (batchOwner, currentUser) = (nil, previous) }
        return try body()
    }

    fileprivate func work<Result>(for user: BatchOwner, _ body: () throws -> Result) rethrows -> Result {
        let previous = currentUser
        currentUser = user
        defer { currentUser = previous }
        return try body()
    }
}

extension DatabaseFile {
    /// Runs `body` on behalf of a user, who does not see batches of others: reads see the last commit, and transactions are refused.
    ///
    /// Costs a few nanoseconds where the calling thread has no transaction open.
    package func onBehalf<Result>(of user: BatchOwner, _ body: () throws -> Result) rethrows -> Result {
        guard let writer = writerIfWritable, writer.hasTransactionOfThisThread else { return try body() }
        return try writer.work(for: user, body)
    }

    /// Runs `body` in a transaction that is a batch of a user. Inside a batch of that user on the same thread it joins that one.
    ///
    /// - Throws: `batchOfAnother` inside a batch of another user on the same thread, which could never end.
    package func batch<Result>(of user: BatchOwner, _ body: () throws -> Result) throws -> Result {
        try onBehalf(of: user) {
            try transaction { writer in try writer.ownBatch(of: user, body) }
        }
    }
}
