package import DocumentStore
import Fleece
package import SyncCore

/// The peer's answer to one row of `proposeChanges` (Replication 3.7).
package enum ProposalReply: Equatable, Sendable {
    /// The peer wants the revision.
    case wanted
    /// The peer has the revision.
    case known
    /// The peer's current revision is a different one: `current`, if the peer reports it.
    case conflict(current: RevisionID?)
    /// The peer refuses the revision, with an HTTP status.
    case refused(status: Int)

    /// Parses the answers to `count` rows. Rows without an answer at the end are wanted.
    ///
    /// - Throws: `SyncError` if the body is not an array.
    package static func parse(_ body: [UInt8], count: Int) throws(SyncError) -> [ProposalReply] {
        try items(of: body, count: count, missing: .wanted) { ProposalReply($0) }
    }

    private init(_ value: Value?) {
        guard let value, !value.isNull else {
            self = .wanted
            return
        }
        if let item = value.dictionary {
            let status = item.value(for: "status")?.int64 ?? 0
            let current = item.value(for: "rev")?.string.flatMap { RevisionID($0) }
            self = ProposalReply(status: status, current: current)
        } else {
            self = ProposalReply(status: value.int64 ?? 0, current: nil)
        }
    }

    private init(status: Int64, current: RevisionID?) {
        self =
            switch status {
            case 0: .wanted
            case 304: .known
            case 409: .conflict(current: current)
            default: .refused(status: Int(clamping: status))
            }
    }
}

/// The peer's answer to one row of `changes` (Replication 3.6).
package enum AnnouncementReply: Equatable, Sendable {
    /// The peer has the revision or does not want it.
    case unwanted
    /// The peer wants the revision. It has these ancestors and prefers the first one as the base of a delta.
    case wanted(ancestors: [RevisionID])
    /// The peer refuses the revision.
    case refused(status: Int)

    /// Parses the answers to `count` rows. Rows without an answer at the end are not wanted.
    ///
    /// - Throws: `SyncError` if the body is not an array.
    package static func parse(_ body: [UInt8], count: Int) throws(SyncError) -> [AnnouncementReply] {
        try items(of: body, count: count, missing: .unwanted) { AnnouncementReply($0) }
    }

    private init(_ value: Value?) {
        if let list = value?.array {
            let count = min(list.count, Self.maximumAncestors)
            let ancestors = (0..<count).compactMap { list[$0]?.string.flatMap { RevisionID($0) } }
            self = .wanted(ancestors: ancestors)
        } else if let status = value?.int64, status >= 300 {
            self = .refused(status: Int(clamping: status))
        } else {
            self = .unwanted
        }
    }

    /// The maximum number of listed ancestors that are read. Peers should list at most 10 (Replication 4.13).
    private static let maximumAncestors = 20
}

/// Parses an array with one item per row. An empty body and `null` count as an empty array.
private func items<Reply>(of body: [UInt8], count: Int, missing: Reply, _ read: (Value?) -> Reply) throws(SyncError) -> [Reply] {
    guard !body.isEmpty else { return Array(repeating: missing, count: count) }
    let replies: [Reply]?
    do {
        let data = try body.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) }
        replies =
            data.withRoot { root in
                if root.isNull { return Array(repeating: missing, count: count) }
                guard let array = root.array else { return nil }
                return (0..<count).map { $0 < array.count ? read(array[$0]) : missing }
            } ?? nil
    } catch {
        throw SyncError(engine: .remoteError, "the response to a list of changes is not valid JSON: \(error)")
    }
    guard let replies else { throw SyncError(engine: .remoteError, "the response to a list of changes is not an array") }
    return replies
}
