#if Replication
import DatabaseRuntime
import DocumentStore
import ExactStrings
import Replication
import SyncRuntime

extension ReplicatorConfiguration {
    /// Checks that a replicator can be created.
    func check() throws(Misuse) {
        guard let source = entries.first?.collection.database else {
            throw .invalidArgument("Attempt to initiate replicator with empty collection")
        }
        switch target {
        case is URLEndpoint, is MessageEndpoint: break
        case let endpoint as DatabaseEndpoint:
            let target = endpoint.database
            if let path = source.path, source === target || path.isExactly(target.path) {
                throw .invalidArgument("A database cannot be replicated with itself.")
            }
        default: throw .invalidArgument("\(type(of: target)) is not a supported type of endpoint.")
        }
    }

    /// Returns the connector for the target. Must be called on a checked copy that is not changed afterwards.
    func connector() -> EndpointConnector {
        let database = entries[0].collection.database
        var options = EndpointConnector.Options()
        options.isContinuous = continuous
        options.purgesOnLostAccess = enableAutoPurge
        return EndpointConnector(
            entries.map { ReplicatedCollection($0.collection.store, $0.options, $0.conflictSolver) },
            of: (database.name, database.core.activities),
            with: channelFactory,
            EndpointConnector.Directions(pushes: replicatorType.pushes, pulls: replicatorType.pulls),
            options
        ) { try database.openFile() }
    }

    private var channelFactory: any ChannelFactory {
        switch target {
        case let endpoint as URLEndpoint: webSocketFactory(for: endpoint)
        case let endpoint as DatabaseEndpoint: localFactory(for: endpoint.database)
        case let endpoint as MessageEndpoint: MessageChannelFactory(endpoint)
        default: _CBLMisuse.invalidArgument("\(type(of: target)) is not a supported type of endpoint.")
        }
    }

    private func localFactory(for target: Database) -> LocalChannelFactory {
        LocalChannelFactory(to: target.name, target.core.activities, collections.map(\.store.id)) {
            try target.openFile()
        } read: {
            try target.withFile($0)
        }
    }
}

extension ReplicatorConfiguration.Entry {
    var conflictSolver: CollectionConflictSolver {
        CollectionConflictSolver(collection, config.conflictResolver, asynchronous: config.asyncConflictResolver)
    }

    fileprivate var options: CollectionOptions {
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
            let document = Document(
                id: revision.documentID,
                revision: revision.revision,
                sequence: 0,
                body: revision.body,
                sharedKeys: revision.sharedKeys,
                collection: collection
            )
            document.forbidMutableCopies()
            return isWanted(document, DocumentFlags(isDeleted: revision.isDeleted, isAccessRemoved: revision.isAccessRemoved))
        }
    }
}
#endif
