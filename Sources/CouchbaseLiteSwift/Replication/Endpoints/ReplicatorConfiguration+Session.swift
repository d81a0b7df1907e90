#if Replication
import SyncCore
import DocumentStore
import Replication

extension ReplicatorConfiguration {
    /// Returns the options of the sessions.
    ///
    /// - Parameters:
    ///   - remote: The identifier of the target in checkpoints.
    ///   - directions: The directions of the replication.
    func activeOptions(remote: String, _ directions: EndpointConnector.Directions) -> ActiveOptions {
        let mode: ReplicationMode = continuous ? .continuous : .oneShot
        var options = ActiveOptions(
            remoteURL: remote,
            push: directions.pushes ? mode : .disabled,
            pull: directions.pulls ? mode : .disabled,
            collections: entries.map(\.options)
        )
        options.purgesOnLostAccess = enableAutoPurge
        return options
    }
}

extension ReplicatorConfiguration.Entry {
    var conflictSolver: CollectionConflictSolver {
        CollectionConflictSolver(collection, config.conflictResolver, asynchronous: config.asyncConflictResolver)
    }

    var options: CollectionOptions {
        var options = CollectionOptions(collection.store.id)
        options.channels = config.channels
        options.documentIDs = config.documentIDs
        options.pushFilter = config.pushFilter.map { FilteredRevisions(collection: collection, isWanted: $0).filter }
        options.pullFilter = config.pullFilter.map { FilteredRevisions(collection: collection, isWanted: $0).filter }
        return options
    }
}

/// Converts a filter of the app to a filter of revisions.
private struct FilteredRevisions: Sendable {
    let collection: Collection
    let isWanted: ReplicationFilter

    var filter: RevisionFilter {
        { revision in
            var flags: DocumentFlags = []
            if revision.isDeleted { flags.insert(.deleted) }
            if revision.isAccessRemoved { flags.insert(.accessRemoved) }
            let document = Document(
                id: revision.documentID,
                revision: revision.revision,
                sequence: 0,
                body: revision.body,
                sharedKeys: revision.sharedKeys,
                collection: collection
            )
            document.forbidMutableCopies()
            return isWanted(document, flags)
        }
    }
}
#endif
