#if Replication
package import DocumentStore
package import Replication
package import SyncCore

/// Receives what a replicator reports. It is called on the replicator's queue.
package protocol ReplicatorObserver: Sendable {
    /// Whether ``notify(_:isPush:of:)`` has any effect. If not, documents are not collected.
    var wantsDocuments: Bool { get }

    /// Notifies the observer of a new status.
    ///
    /// - Parameter owner: The object that the replicator was started with.
    func notify(_ status: ReplicatorStatus, of owner: AnyObject)

    /// Notifies the observer of documents, all of one direction.
    ///
    /// - Parameter owner: The object that the replicator was started with.
    func notify(_ documents: [ReportedDocument], isPush: Bool, of owner: AnyObject)
}

/// The status of a replicator.
package struct ReplicatorStatus: Sendable {
    /// The level of activity.
    package let level: ReplicatorLifeCycle.Level
    /// How many documents are done on the current connection, and how many are expected.
    package let progress: ReplicatorProgress
    /// The error that made the replicator stop or go offline; `nil` if there is none.
    package let error: SyncError?
}

/// The number of documents that are done on the current connection, and their total.
package struct ReplicatorProgress: Sendable, Equatable {
    /// The number of documents that are done.
    package private(set) var completed: UInt64 = 0
    /// The number of documents that are known or expected, including those that are done.
    package private(set) var total: UInt64 = 0
    /// What became of the documents of the whole run.
    package private(set) var totals = ReplicatorTotals()

    init() {}

    /// Counts documents: those that are done, those that are known, and those that are expected.
    ///
    /// - Parameter earlier: What became of the documents on earlier connections of the run.
    package init(_ status: SessionStatus, after earlier: ReplicatorTotals = ReplicatorTotals()) {
        completed = status.completedDocuments
        total = status.totalDocuments + status.estimatedDocuments
        totals = earlier
        totals.add(status, withPostponed: true)
    }
}

/// What became of the documents of a run of a replicator, on all its connections. A document that is tried again counts again.
package struct ReplicatorTotals: Sendable, Equatable {
    /// The number of pushed documents.
    package private(set) var pushed: UInt64 = 0
    /// The number of documents that were not replicated because of an error, usually because the other side refuses them.
    package private(set) var refused: UInt64 = 0
    /// The reason for the first of them; `nil` if there is none.
    package private(set) var firstRefusal: SyncError?

    package init() {}

    /// - Parameter withPostponed: Whether documents count that were left to the next connection.
    mutating func add(_ status: SessionStatus, withPostponed: Bool) {
        pushed += status.counts.pushed
        refused += status.counts.refused + (withPostponed ? status.counts.postponed : 0)
        if refused > 0, firstRefusal == nil { firstRefusal = status.firstRefusal }
    }
}

/// A document whose replication has ended, or whose conflict was resolved.
package struct ReportedDocument: Sendable {
    /// The ID of the document.
    package let documentID: String
    /// The collection of the document.
    package let collection: CollectionID
    /// Whether the replicated revision is a deletion.
    package let isDeleted: Bool
    /// Whether the user has lost access to the document.
    package let isAccessRemoved: Bool
    /// The reason for the failure: a `SyncError`, or what resolving the conflict has thrown. `nil` if there was none.
    package let error: (any Error)?

    init(_ ended: EndedDocument) {
        documentID = ended.documentID
        collection = ended.collection
        isDeleted = ended.isDeleted
        isAccessRemoved = ended.isAccessRemoved
        error = ended.error
    }

    init(_ documentID: String, in collection: CollectionID, isDeleted: Bool = false, error: (any Error)? = nil) {
        self.documentID = documentID
        self.collection = collection
        self.isDeleted = isDeleted
        isAccessRemoved = false
        self.error = error
    }
}
#endif
