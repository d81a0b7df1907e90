#if Replication
import Base
import Fleece

/// What a user may read and write: documents in the user's channels.
///
/// The channels of a document are those of the ``ChannelRule`` of its collection. All users may read the channel `!`; the channel `*` in the rights
/// of a user stands for all documents, including those without channels.
struct HubAccess: Sendable {
    /// The name of the user; `nil` for a guest.
    let userName: String?
    /// Whether the user may use all documents.
    let hasAllChannels: Bool
    let channels: Set<ExactString>
    /// The stored password of the user. A user who has got another one must log in again, also in requests that last; so must one who was removed
    /// and added again, whose password has another salt. `nil` for a guest.
    let password: PasswordHash?

    static let everyone = "!"
    static let all = "*"

    init(userName: String?, channels: some Sequence<String>, password: PasswordHash? = nil) {
        self.userName = userName
        self.password = password
        var set = Set(exactly: channels)
        set.insert(ExactString(Self.everyone))
        hasAllChannels = set.contains(Self.all)
        self.channels = set
    }

    /// The access of everyone on this machine while a hub has no users.
    static let guest = HubAccess(userName: nil, channels: [all])

    func mayRead(_ documentChannels: [String]) -> Bool { hasAllChannels || documentChannels.contains { channels.contains($0) } }

    func mayRead(_ body: FleeceData, _ keys: SharedKeys, _ rule: ChannelRule) -> Bool {
        hasAllChannels || mayRead(rule.channels(of: body, keys))
    }

    /// Returns whether the user may store a revision: the user must be able to read the current revision, if there is one, and must have
    /// access to every channel of the new revision. A tombstone needs no channel.
    func mayStore(_ newChannels: [String], isDeleted: Bool, over current: [String]?) -> Bool {
        if hasAllChannels { return true }
        if let current, !mayRead(current) { return false }
        if isDeleted, current != nil { return newChannels.allSatisfy { channels.contains($0) } }
        return !newChannels.isEmpty && newChannels.allSatisfy { channels.contains($0) }
    }
}
#endif
