package import DocumentStore

/// The interface of replication to a database. All calls are synchronous and must be made on the executor of the session.
///
/// Errors are those of the layers below; `SyncError.init(_:)` converts them.
package final class ReplicaDatabase: Sendable {
    package let file: DatabaseFile
    /// Called before and after each commit made by replication.
    private let commitHook: CommitHook?

    /// A point in time relative to a commit made by replication.
    package enum CommitPhase: Sendable {
        /// Immediately before the commit. An error rolls the transaction back.
        case before
        /// Immediately after the commit. An error is thrown to the caller although everything is stored.
        case after
    }

    /// A hook for tests. An error that it throws ends the caller's work at this point, as if the process had been killed.
    package typealias CommitHook = @Sendable (CommitPhase) throws -> Void

    package init(_ file: DatabaseFile, commitHook: CommitHook? = nil) {
        self.file = file
        self.commitHook = commitHook
    }

    package var blobs: BlobStore { file.blobs }

    func transaction<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        guard let commitHook else { return try file.transaction(body) }
        let result = try file.transaction { writer in
            let result = try body(writer)
            try commitHook(.before)
            return result
        }
        try commitHook(.after)
        return result
    }

    /// Returns the collection with this name; `nil` if it does not exist.
    package func collection(_ id: CollectionID) throws -> ReplicaCollection? {
        try file.collection(id).map { ReplicaCollection($0, of: self) }
    }
}
