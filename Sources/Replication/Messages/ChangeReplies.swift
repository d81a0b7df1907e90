package import DocumentStore
import Fleece
package import SyncCore

/// The answer to one row of `proposeChanges` (Replication 3.7).
package enum ProposalReply: Equatable, Sendable {
    /// It is to be sent.
    case wanted
    /// The peer has it.
    case known
    /// The peer's current revision is another one; which one, if it says so.
    case conflict(current: RevisionID?)
    /// The peer will not take it, for a reason in the terms of HTTP.
    case refused(status: Int)

    /// Reads the answers to that many rows; what is missing at the end is wanted.
    ///
    /// - Throws: `SyncError` when this is no array.
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

/// The answer to one row of `changes` (Replication 3.6).
package enum AnnouncementReply: Equatable, Sendable {
    /// The peer has it, or does not care.
    case unwanted
    /// It is to be sent. These ancestors are there already; the first is the peer's choice for a delta.
    case wanted(ancestors: [RevisionID])
    /// The peer will not take it.
    case refused(status: Int)

    /// Reads the answers to that many rows; what is missing at the end is not wanted.
    ///
    /// - Throws: `SyncError` when this is no array.
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

    /// More than the ten that a peer should list are not looked at (Replication 4.13).
    private static let maximumAncestors = 20
}

/// Reads an array with one item per row. Nothing at all and `null` stand for an empty one.
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
        throw SyncError(.liteCore, 26, "the answer to a list of changes is not JSON: \(error)")
    }
    guard let replies else { throw SyncError(.liteCore, 26, "the answer to a list of changes is no array") }
    return replies
}
