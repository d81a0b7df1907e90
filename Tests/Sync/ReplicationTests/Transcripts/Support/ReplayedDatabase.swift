import BLIP
import DocumentStore
import Fleece
import ReplicationSimulation
import Testing

@testable import Replication

/// A database of a recorded conversation.
class ReplayedDatabase {
    let replica: TestReplica
    let source: SourceID
    /// The time of the last version in the conversations of Couchbase Lite 4.0.4.
    static let lastVersion: UInt64 = 0x18EA_583A_6000_0000

    /// - Parameters:
    ///   - source: The ID of the database in versions.
    ///   - time: The time of its clock, as in versions.
    init(_ source: String, at time: UInt64 = ReplayedDatabase.lastVersion) throws {
        let id = try #require(RevisionID("1@\(source)")?.version).source
        let replica = try TestReplica(versionsAt: SettableClock(Int64(time / 1_000_000)))
        try replica.file.transaction { try RawStore.info.set("publicUUID", to: .init(body: id.bytes), in: $0) }
        (self.source, self.replica) = (id, replica)
    }

    var naming: RevisionNaming { RevisionNaming(own: source) }

    /// Stores the revisions that the app of this side has made before they were sent.
    func edit(_ sent: [Transcript.Message]) throws {
        for message in sent where message.profile == "rev" {
            let properties = message.properties
            let revision = try RevisionMessage(properties, naming)
            guard case .version(let version) = revision.revision, version.source.isMe else { continue }
            let stored = try replica.collection().change(of: revision.documentID, remote: 1)
            guard stored?.revision != revision.revision else { continue }
            var json = message.text
            // Of a delta only the number is known.
            if properties["deltaSrc"] != nil, let whole = try replica.json(revision.documentID) {
                json = whole.replacing(/"n":\d+/) { _ in json.dropFirst().dropLast() }
            }
            if stored?.isConflicted == true { return try merge(revision, json) }
            try store(revision, try replica.body(json))
        }
    }

    /// Stores a revision that is named as in messages.
    ///
    /// - Parameters:
    ///   - history: The property `history`; empty for none.
    ///   - remote: The number of the remote from which the revision came; `nil`, the default, for a revision of this side.
    func store(
        _ documentID: String,
        _ revision: String,
        after history: String = "",
        _ json: String = "{}",
        isDeleted: Bool = false,
        remote: Int? = nil
    ) throws {
        var properties: Properties = ["id": documentID, "rev": revision]
        if !history.isEmpty { properties["history"] = history }
        if isDeleted { properties["deleted"] = "1" }
        try store(RevisionMessage(properties, naming), try replica.body(json), remote: remote)
    }

    /// Stores a revision with this body.
    func store(_ message: RevisionMessage, _ body: OwnedBody, remote: Int? = nil) throws {
        let received = ReceivedRevision(
            documentID: message.documentID,
            revision: message.revision,
            history: message.history,
            mergedCount: message.mergedCount,
            isDeleted: message.isDeleted,
            body: body
        )
        let outcomes = try replica.collection().insert([received], remote: remote)
        guard case .inserted(_, isConflict: false)? = outcomes.first else { return #expect(Bool(false), "\(outcomes)") }
    }

    /// The version of a merge that this side has made, in place of the recorded one.
    private(set) var merge: (recorded: String, made: String)?

    private func merge(_ revision: RevisionMessage, _ json: String) throws {
        let conflict = try #require(try replica.collection().conflict(in: revision.documentID))
        let resolved = try replica.collection().resolve(conflict, with: .merged(try replica.body(json)))
        let made = try #require(resolved).revision
        merge = (naming.text(revision.revision), naming.text(made))
    }

    /// Returns a recorded text with the version of the merge that was made.
    func adapted(_ text: String) -> String { merge.map { text.replacing($0.recorded, with: $0.made) } ?? text }

    func canonical(_ json: String) throws -> String {
        try JSON.fleece(json, allowingFragments: true).withRoot { try JSON.string($0, form: .canonical) } ?? ""
    }

    /// The first columns of rows: the sequence in changes, the document and the version; and for proposals the parent.
    func rows(_ message: Transcript.Message, from column: Int, count: Int) throws -> [[String]] {
        try JSON.fleece(message.text.isEmpty ? "[]" : message.text, allowingFragments: true).withRoot { root in
            let rows = root.array
            return (0..<(rows?.count ?? 0)).map { index in
                let row = rows?[index]?.array
                return (column..<column + count).map { column in
                    adapted(row?[column]?.string ?? row?[column]?.int64.map { String($0) } ?? "")
                }
            }
        } ?? []
    }
}

extension Transcript.Message {
    init(_ request: IncomingRequest) {
        self.init()
        (profile, properties, body) = (request.profile, request.properties, request.body)
    }
}
