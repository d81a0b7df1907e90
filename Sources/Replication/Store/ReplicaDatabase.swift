package import DocumentStore

/// A database as replication sees it. All calls are synchronous, and belong on the executor of the session.
///
/// Errors are those of the layers below; see `SyncError.init(_:)`.
package final class ReplicaDatabase: Sendable {
    package let file: DatabaseFile
    /// Called around each commit made for replication.
    private let commitHook: CommitHook?

    /// A moment of a commit made for replication.
    package enum CommitPhase: Sendable {
        /// Right before it: an error leaves everything as it was.
        case before
        /// Right after it: an error reaches the caller although all is stored.
        case after
    }

    /// For tests: an error that it throws ends the caller's work at that moment, as if the process had died.
    package typealias CommitHook = @Sendable (CommitPhase) throws -> Void

    package init(_ file: DatabaseFile, commitHook: CommitHook? = nil) {
        self.file = file
        self.commitHook = commitHook
    }

    package var blobs: BlobStore { file.blobs }

    /// Runs `body` in a transaction.
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

    /// A collection; nil when there is none of that name.
    package func collection(_ id: CollectionID) throws -> ReplicaCollection? {
        try file.collection(id).map { ReplicaCollection($0, of: self) }
    }

    // MARK: Identity

    /// The ID that checkpoint IDs are made of: 16 bytes (Replication 4.2). A database that has none is given one.
    package func privateUUID() throws -> [UInt8] { try file.ensuredPrivateUUID() }

    /// The private ID of the database that this one is a copy of; nil when it is none.
    package func previousPrivateUUID() throws -> [UInt8]? { try file.previousPrivateUUID() }

    /// The number of a remote database, given to it at the first time: from 1 to 65535 (Storage format 3.9).
    package func remoteID(for remoteURL: String) throws -> Int { try file.remoteID(for: remoteURL) }
}
