import BLIP
package import DocumentStore

/// When one direction of a replication ends.
package enum ReplicationMode: Sendable {
    /// The direction is not used.
    case disabled
    /// Ends when all existing changes have been replicated.
    case oneShot
    /// Runs until it is stopped.
    case continuous
}

/// The options of the active side of a replication.
package struct ActiveOptions: Sendable {
    /// The identifier of the remote database in checkpoints and remote ancestors: the effective URL, or the unique ID of a message endpoint
    /// (Replication 4.2).
    package var remoteURL: String
    /// When pushing ends, or whether nothing is pushed.
    package var push: ReplicationMode
    /// When pulling ends, or whether nothing is pulled.
    package var pull: ReplicationMode
    /// The collections to replicate, each once.
    package var collections: [CollectionOptions]
    /// Whether documents that the user lost access to are purged.
    package var purgesOnLostAccess = true
    /// Whether deltas are sent and accepted.
    package var usesDeltas = true
    /// The maximum delay before a changed checkpoint is saved while the session is busy.
    package var checkpointInterval: Duration = .seconds(5)
    /// The name of the session in log messages.
    package var logName = ""

    /// The maximum size of a pulled body, in bytes of JSON. It is larger than the limits of servers, so that everything stored there can be
    /// pulled.
    static let maximumDocumentSize = 100 << 20
    /// The maximum memory of the connection, in bytes: the budget of the whole process, because a server sends up to 200 documents
    /// concurrently.
    static let maximumMemory = MemoryBudget.defaultLimit

    package init(remoteURL: String, push: ReplicationMode, pull: ReplicationMode, collections: [CollectionOptions]) {
        self.remoteURL = remoteURL
        self.push = push
        self.pull = pull
        self.collections = collections
    }

    /// Whether messages name their collection: always, unless only the default collection is replicated (Replication 3.2).
    package var isCollectionAware: Bool { !(collections.count == 1 && collections[0].id.isDefault) }
}

/// The options for one collection of an active session.
package struct CollectionOptions: Sendable {
    /// The collection, which has the same name on both sides.
    package var id: CollectionID
    /// The channels of Sync Gateway to pull from. `nil` or empty pulls from all channels.
    package var channels: [String]?
    /// The IDs of the documents to replicate. `nil` or empty replicates all documents.
    package var documentIDs: [String]?
    /// Returns whether a revision is pushed. `nil` pushes all revisions.
    package var pushFilter: RevisionFilter?
    /// Returns whether a received revision is stored. `nil` stores all revisions.
    package var pullFilter: RevisionFilter?

    /// Replicates all documents of a collection, in the directions of the session.
    package init(_ id: CollectionID) { self.id = id }

    /// The IDs of the documents to replicate; `nil` for all documents.
    var chosenDocumentIDs: [String]? { documentIDs.flatMap { $0.isEmpty ? nil : $0 } }
}

/// The options of the passive side of a replication.
package struct PassiveOptions: Sendable {
    /// The collections that clients may replicate with.
    package var collections: [CollectionID]
    /// Whether clients may only pull.
    package var isReadOnly = false
    /// Whether deltas are sent and accepted.
    package var usesDeltas = false
    /// Whether conflicting revisions are stored if a client pushes without `proposeChanges`. Stock clients never do this.
    package var allowsConflicts = false
    /// The maximum number of received revisions of a collection that wait to be stored, and their maximum size in bytes. More are refused:
    /// only a client that ignores the responses sends so many.
    package var maximumUnanswered = (count: 5000, size: 64 << 20)
    /// The maximum size of a received body in bytes, both as JSON and as stored. Larger bodies are refused with {HTTP, 413}. The default is
    /// 20 MiB, as in Sync Gateway (Replication 5.1).
    package var maximumDocumentSize = PassiveOptions.defaultDocumentSize

    /// The default of ``maximumDocumentSize``, in bytes.
    package static let defaultDocumentSize = 20 << 20
    /// The maximum size of a received blob in bytes. Revisions with larger ones are refused with {HTTP, 413}. `nil`, the default, for no limit:
    /// blobs are written to their files while they are received.
    package var maximumBlobSize: UInt64?
    /// The name of the session in log messages.
    package var logName = ""
    /// The documents that the client may read and write. `nil` allows all.
    package var access: PassiveAccess?
    /// What precedes the IDs of the client's checkpoints in the database, so that clients with different rights do not share them.
    package var checkpointPrefix = ""
    /// Whether the session answers like Sync Gateway where it differs from a listener (Replication 8).
    package var standsInForSyncGateway = false
    /// Whether the client is a Sync Gateway, which refuses `changes` that do not say that it may be sent (Replication 3.6).
    package var isForSyncGateway = false

    /// Creates options for clients that may read and write all documents.
    package init(collections: [CollectionID]) { self.collections = collections }

    /// - Parameter maximumDocumentSize: As the property, but it may be too large for it.
    package init(collections: [CollectionID], isReadOnly: Bool, usesDeltas: Bool, maximumDocumentSize: UInt) {
        self.init(collections: collections)
        (self.isReadOnly, self.usesDeltas) = (isReadOnly, usesDeltas)
        self.maximumDocumentSize = Int(clamping: min(maximumDocumentSize, 1 << 40))
    }
}

/// Returns whether a revision is replicated. Called on the executor of the session.
package typealias RevisionFilter = @Sendable (FilteredRevision) -> Bool
