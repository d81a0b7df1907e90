#if Replication
import DocumentStore
import Replication

/// What a user may store in a collection, for REST and for sync.
struct HubStoringRights: StoringRights {
    let access: HubAccess
    /// Where the channels of the documents come from.
    let rule: ChannelRule
    let mayUseAllContent: Bool

    func mayStore(_ new: FilteredRevision, over current: FilteredRevision?) -> Bool {
        access.hasAllChannels || access.mayStore(channels(of: new), isDeleted: new.isDeleted, over: current.map { channels(of: $0) })
    }

    func tombstone(_ new: OwnedBody, over current: FilteredRevision) throws -> OwnedBody {
        try rule.tombstone(new, over: (current.body, current.sharedKeys))
    }

    private func channels(of revision: FilteredRevision) -> [String] { rule.channels(of: revision.body, revision.sharedKeys) }
}
#endif
