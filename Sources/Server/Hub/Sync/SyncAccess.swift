#if Replication
import DocumentStore
import Base
import Replication
import SyncCore
import WebServer

/// What a syncing client may read and write: the documents in the user's channels.
struct SyncAccess: Sendable {
    let database: HubDatabase
    let channels: ChannelIndexes
    /// Returns what the user may do now. Throws if the user may not use the hub anymore. Called for each document.
    let access: @Sendable () throws -> HubAccess
    /// Returns the same with the history, for feeds.
    let rights: @Sendable () throws -> FeedRights

    var passive: PassiveAccess {
        PassiveAccess(
            mayRead: { collection, revision in
                try current(access).mayRead(revision.body, revision.sharedKeys, database.rule(of: collection))
            },
            // As Sync Gateway, the hub requests content for each document that does not have it.
            storing: { HubStoringRights(access: try current(access), rule: database.rule(of: $0), mayUseAllContent: false) },
            feed: { collection, request in try feed(collection, request) },
            replaced: { collection, revision in database.replaced.keep(revision, of: collection, in: database.name) }
        )
    }

    private func current<Rights>(_ rights: () throws -> Rights) throws -> Rights {
        do {
            return try rights()
        } catch let error as WebError {
            // The session ends with this error.
            throw SyncError(.http, error.status, error.reason)
        }
    }

    private func feed(_ collection: ReplicaCollection, _ request: FeedRequest) throws -> AccessFeed {
        guard let since = try? FeedPosition(request.since) else {
            throw SyncError(http: .badRequest, "Invalid subChanges: since is not a sequence")
        }
        let options = AccessFeed.Options(
            channels: request.channels,
            documentIDs: request.documentIDs,
            isActiveOnly: request.isActiveOnly,
            hasRevocations: request.wantsRevocations
        )
        let index = try channels.index(of: collection.id, in: database)
        return try AccessFeed(collection, index, since: since, options, batchSize: request.batchSize) { try current(rights) }
    }
}
#endif
