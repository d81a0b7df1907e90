#if Replication
import SyncCore
import DocumentStore
import Replication

extension ReplicatorConfiguration {
    /// What sessions are to do.
    ///
    /// - Parameters:
    ///   - remote: What stands for the target in checkpoints.
    ///   - directions: In which directions documents go.
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
    var options: CollectionOptions {
        var options = CollectionOptions(collection.store.id)
        options.channels = config.channels
        options.documentIDs = config.documentIDs
        options.pushFilter = config.pushFilter.map { RevisionQuestion($0, collection).filter }
        options.pullFilter = config.pullFilter.map { RevisionQuestion($0, collection).filter }
        return options
    }
}

/// Asks a filter of the app's about revisions.
private struct RevisionQuestion: @unchecked Sendable {
    // Unchecked: filters are closures of apps, which know that they are called on other threads, one call at a time.
    private let isWanted: ReplicationFilter
    private let collection: Collection

    init(_ filter: @escaping ReplicationFilter, _ collection: Collection) {
        isWanted = filter
        self.collection = collection
    }

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
