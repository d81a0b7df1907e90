import BLIP
import DocumentStore
import Fleece
import SyncCore

/// The peer's answer to one row of `proposeChanges` (Replication 3.7).
enum ProposalReply: Equatable, Sendable {
    case wanted
    case known
    /// The peer's current revision is a different one: `current`, if the peer reports it.
    case conflict(current: RevisionID?)
    /// The peer refuses the revision, with an HTTP status.
    case refused(status: Int)

    /// Parses the answers to `count` rows. Rows without an answer at the end are wanted.
    static func parse(_ body: [UInt8], count: Int, _ naming: RevisionNaming = .trees) throws(SyncError) -> [ProposalReply] {
        try items(of: body, count: count, missing: .wanted) { ProposalReply($0, naming) }
    }

    private init(_ value: Value?, _ naming: RevisionNaming) {
        let item = value?.dictionary
        self =
            switch (item == nil ? value : item?.value(for: "status"))?.int64 ?? 0 {
            case 0: .wanted
            case 304: .known
            case 409: .conflict(current: item?.value(for: "rev")?.string.flatMap { naming.current($0) })
            case let status: .refused(status: Int(clamping: status))
            }
    }
}

/// The answer to a row of `changes` (Replication 3.6).
enum ChangeAnswer: Equatable, Sendable {
    /// The receiver has the revision or does not want it.
    case notWanted
    /// The sender should send the revision. The listed revisions exist at the receiver and may be ancestors; the best base of a delta comes
    /// first.
    case wanted([RevisionID])
    /// The revision is refused, with a status of at least 300.
    case refused(Int)

    /// The maximum number of listed ancestors that are read. Peers should list at most 10 (Replication 4.13).
    private static let maximumAncestors = 20

    /// Parses the answers to `count` rows. Rows without an answer at the end are not wanted.
    static func parse(_ body: [UInt8], count: Int, _ naming: RevisionNaming = .trees) throws(SyncError) -> [ChangeAnswer] {
        try items(of: body, count: count, missing: .notWanted) { ChangeAnswer($0, naming) }
    }

    private init(_ value: Value?, _ naming: RevisionNaming) {
        if let list = value?.array {
            let count = min(list.count, Self.maximumAncestors)
            self = .wanted((0..<count).compactMap { list[$0]?.string.flatMap { naming.revision($0) } })
        } else if let status = value?.int64, status >= 300 {
            self = .refused(Int(clamping: status))
        } else {
            self = .notWanted
        }
    }

    /// Returns the body of the response. Unwanted rows at the end are omitted.
    static func body(_ answers: [ChangeAnswer], _ naming: RevisionNaming = .trees) -> [UInt8] {
        let count = (answers.lastIndex { $0 != .notWanted } ?? -1) + 1
        return JSONWriter.array(capacity: 16 + count * 48, answers.prefix(count)) { writer, answer in
            switch answer {
            case .notWanted: writer.value(0)
            case .refused(let status): writer.value(status)
            case .wanted(let ancestors): writer.array(ancestors) { $0.append(naming.text($1)) }
            }
        }.byteArray
    }
}

/// Parses an array with one item per row. An empty body and `null` count as an empty array.
private func items<Reply>(of body: [UInt8], count: Int, missing: Reply, _ read: (Value?) -> Reply) throws(SyncError) -> [Reply] {
    guard !body.isEmpty else { return Array(repeating: missing, count: count) }
    let replies: [Reply]?
    do {
        let data = try FleeceData.parsing(json: body)
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

/// The capabilities that the receiver of revisions has reported in responses to `changes` or `proposeChanges` (Replication 3.6, 4.5).
struct PeerAbilities: Sendable, Equatable {
    /// The maximum number of revisions in a history, including the revision that is sent.
    var maximumHistory = 50
    /// Whether the peer finds inline blobs in bodies. Otherwise they must be listed in `_attachments`.
    var findsBlobs = false
    var takesDeltas = false

    /// The highest value of ``maximumHistory``, whatever the peer reports. Revision trees are pruned to 50 revisions by default; gaps left by
    /// that are filled up to this number, so without it a peer could request a history of any length.
    static let longestHistory = 1000

    /// Adds the capabilities reported in a response. A capability stays set once it was reported.
    mutating func learn(from properties: Properties) {
        if let maximum = properties.integer("maxHistory") { maximumHistory = min(max(1, maximum), Self.longestHistory) }
        if properties.boolean("blobs") { findsBlobs = true }
        if properties.boolean("deltas") { takesDeltas = true }
    }
}
