#if Replication
import DatabaseRuntime
import DocumentStore
import ExactStrings
import Replication
import SyncRuntime

extension ReplicatorConfiguration {
    /// Checks that a replicator can be created.
    func check() throws(Misuse) { _ = try connector() }

    /// Returns the connector for the target. Must be called on a copy that is not changed afterwards.
    func connector() throws(Misuse) -> EndpointConnector {
        guard let database = entries.first?.collection.database else {
            throw .invalidArgument("Attempt to initiate replicator with empty collection")
        }
        return EndpointConnector(
            entries.map { ReplicatedCollection($0.collection.store, $0.options, $0.conflictSolver) },
            of: (database.name, database.core.activities),
            with: try channelFactory(from: database),
            EndpointConnector.Directions(pushes: replicatorType.pushes, pulls: replicatorType.pulls),
            isContinuous: continuous,
            purgesOnLostAccess: enableAutoPurge
        ) { try database.openFile() }
    }

    private func channelFactory(from source: Database) throws(Misuse) -> any ChannelFactory {
        switch target {
        case let endpoint as URLEndpoint: return webSocketFactory(for: endpoint)
        case let endpoint as MessageEndpoint:
            return MessageChannelFactory(endpoint.uid) {
                MessageChannel(endpoint.delegate.createConnection(endpoint: endpoint), endpoint.protocolType, isActive: true)
            }
        case let endpoint as DatabaseEndpoint:
            let target = endpoint.database
            if let path = source.path, source === target || path.isExactly(target.path) {
                throw .invalidArgument("A database cannot be replicated with itself.")
            }
            return LocalChannelFactory(to: target.name, target.core.activities, collections.map(\.store.id)) {
                try target.openFile()
            } read: {
                try target.withFile($0)
            }
        default: throw .invalidArgument("\(type(of: target)) is not a supported type of endpoint.")
        }
    }
}

extension ReplicatorConfiguration.Entry {
    var conflictSolver: CollectionConflictSolver { CollectionConflictSolver(collection, config) }

    fileprivate var options: CollectionOptions {
        var options = CollectionOptions(collection.store.id)
        options.channels = config.channels
        options.documentIDs = config.documentIDs
        options.pushFilter = config.pushFilter.map(revisionFilter)
        options.pullFilter = config.pullFilter.map(revisionFilter)
        return options
    }

    private func revisionFilter(_ isWanted: @escaping ReplicationFilter) -> RevisionFilter {
        { [collection] revision in
            let document = Document(revision.record, collection: collection)
            document.forbidMutableCopies()
            return isWanted(document, DocumentFlags(isDeleted: revision.isDeleted, isAccessRemoved: revision.isAccessRemoved))
        }
    }
}
#endif
