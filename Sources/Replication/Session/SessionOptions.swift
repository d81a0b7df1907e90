import BLIP
package import DocumentStore
package import Fleece

/// How long one direction of a replication goes on.
package enum ReplicationMode: Sendable {
    /// The direction is not wanted.
    case disabled
    /// Until everything there is has been replicated.
    case oneShot
    /// For ever.
    case continuous
}

/// What the active side of a replication is to do.
package struct ActiveOptions: Sendable {
    /// What stands for the other side in checkpoints and as a remote: the effective URL, or the unique ID of an endpoint
    /// (Replication 4.2).
    package var remoteURL: String
    package var push: ReplicationMode
    package var pull: ReplicationMode
    package var collections: [CollectionOptions]
    /// Whether the checkpoint is forgotten for this session.
    package var isReset = false
    /// Whether documents to which access was lost are purged.
    package var purgesOnLostAccess = true
    /// Whether deltas are sent and accepted.
    package var usesDeltas = true
    /// How long a changed checkpoint waits for being saved while there is more to do.
    package var checkpointInterval: Duration = .seconds(5)
    /// Whether documents that were replicated without an error are reported too.
    package var reportsAllDocuments = true
    /// What the log calls the session.
    package var logName = ""

    /// The largest body of a revision that is pulled, in bytes of JSON; what a server has stored is meant to be here.
    static let maximumDocumentSize = 100 << 20
    /// What the connection may hold in memory, in bytes: as much as all together, since a server sends 200 documents side by side.
    static let maximumMemory = MemoryBudget.defaultLimit

    package init(remoteURL: String, push: ReplicationMode, pull: ReplicationMode, collections: [CollectionOptions]) {
        self.remoteURL = remoteURL
        self.push = push
        self.pull = pull
        self.collections = collections
    }

    /// The name of every collection is said, unless the default one is the only one (Replication 3.2).
    package var isCollectionAware: Bool {
        !(collections.count == 1 && collections[0].id.isDefault)
    }
}

/// What is replicated of one collection.
package struct CollectionOptions: Sendable {
    package var id: CollectionID
    /// Pull only what is in these channels of a Sync Gateway. Nil or empty: in all.
    package var channels: [String]?
    /// Replicate only these documents. Nil or empty: all.
    package var documentIDs: [String]?
    /// Says of each revision whether it is to be sent.
    package var pushFilter: RevisionFilter?
    /// Says of each revision that has come whether it is to be stored.
    package var pullFilter: RevisionFilter?

    package init(_ id: CollectionID) {
        self.id = id
    }
}

/// Says whether a revision is to be replicated. Is called on the session's executor.
package typealias RevisionFilter = @Sendable (FilteredRevision) -> Bool

/// A revision that a filter is asked about.
package struct FilteredRevision {
    package let documentID: String
    package let revision: RevisionID
    package let isDeleted: Bool
    package let isAccessRemoved: Bool
    /// The properties, a Fleece dictionary.
    package let body: FleeceData
    package let sharedKeys: SharedKeys

    package init(
        documentID: String,
        revision: RevisionID,
        isDeleted: Bool,
        isAccessRemoved: Bool = false,
        body: FleeceData,
        sharedKeys: SharedKeys
    ) {
        self.documentID = documentID
        self.revision = revision
        self.isDeleted = isDeleted
        self.isAccessRemoved = isAccessRemoved
        self.body = body
        self.sharedKeys = sharedKeys
    }
}

/// What the passive side of a replication serves.
package struct PassiveOptions: Sendable {
    package var collections: [CollectionID]
    /// Whether nothing may be pushed to it.
    package var isReadOnly = false
    /// Whether deltas are sent and accepted.
    package var usesDeltas = false
    /// Whether revisions that conflict are stored when a client pushes without asking first. Never asked for by stock clients.
    package var allowsConflicts = false
    /// How many revisions of a collection, and how many bytes of them, wait to be stored. More are refused: a client that sends them does
    /// not care for the answers.
    package var maximumUnanswered = (count: 5000, size: 64 << 20)
    /// The largest body of a revision that is taken, in bytes, as JSON and as it is stored: others are answered with {HTTP, 413}. 20 MiB, as
    /// Sync Gateway has it (Replication 5.1).
    package var maximumDocumentSize = PassiveOptions.defaultDocumentSize

    package static let defaultDocumentSize = 20 << 20
    /// What the log calls the session.
    package var logName = ""

    package init(collections: [CollectionID]) {
        self.collections = collections
    }
}
