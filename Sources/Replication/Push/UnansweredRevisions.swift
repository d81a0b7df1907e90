import DocumentStore
import ExactStrings
import Fleece

/// The revisions that were sent but not acknowledged because the connection was lost or the process was killed. The peer may or may not
/// have stored them.
///
/// The next session proposes them again. If the peer has one of them, it was pushed by this database, and the listeners must still be
/// notified; the list is only used for that. It is stored together with the local checkpoint and never sent. It is stored before revisions
/// are sent, once for each list of proposed revisions. Therefore it may contain revisions that were acknowledged just before the process
/// was killed: their listeners are notified again.
struct UnansweredRevisions: Equatable {
    /// The maximum number of entries. More revisions are never in flight.
    static let maximumCount = 5000

    private var revisions: [ExactString: Entry] = [:]

    private struct Entry: Equatable {
        let documentID: String
        let revision: RevisionID
    }

    init() {}

    var isEmpty: Bool { revisions.isEmpty }

    mutating func insert(_ documentID: String, _ revision: RevisionID) {
        guard revisions.count < Self.maximumCount else { return }
        revisions[ExactString(documentID)] = Entry(documentID: documentID, revision: revision)
    }

    /// Removes the entry of a document.
    mutating func remove(_ documentID: String) {
        if !revisions.isEmpty { revisions[ExactString(documentID)] = nil }
    }

    /// Removes a revision. Returns `false` if it is not in the list.
    mutating func take(_ documentID: String, _ revision: RevisionID) -> Bool {
        guard !revisions.isEmpty, revisions[ExactString(documentID)]?.revision == revision else { return false }
        revisions[ExactString(documentID)] = nil
        return true
    }

    // MARK: Stored form

    /// Returns an array of alternating document IDs and revision IDs.
    func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.append(ascii: "[")
        let entries = revisions.values.sorted { $0.documentID.utf8.lexicographicallyPrecedes($1.documentID.utf8) }
        for (index, entry) in entries.enumerated() {
            if index > 0 { writer.append(ascii: ",") }
            writer.append(entry.documentID)
            writer.append(ascii: ",")
            writer.append(entry.revision.description)
        }
        writer.append(ascii: "]")
        return writer.byteArray
    }

    /// Reads the stored form. Invalid entries are ignored.
    init(json: [UInt8]) {
        guard let data = try? FleeceData.parsing(json: json) else { return }
        data.withRoot { root in
            guard let list = root.array else { return }
            for index in stride(from: 0, to: list.count - 1, by: 2) {
                guard let documentID = list[index]?.string,
                    let revision = list[index + 1]?.string.flatMap({ RevisionID($0) })
                else { continue }
                insert(documentID, revision)
            }
        }
    }
}

extension ReplicaDatabase {
    /// Returns the list that belongs to a checkpoint.
    func unansweredRevisions(_ checkpointName: String) throws -> UnansweredRevisions {
        try checkpoint(Self.unansweredName(checkpointName)).map { UnansweredRevisions(json: $0) }
            ?? UnansweredRevisions()
    }

    /// Returns the key of the list. It cannot be equal to a checkpoint ID (Replication 4.2).
    fileprivate static func unansweredName(_ checkpointName: String) -> String { "unanswered-" + checkpointName }
}

extension ReplicaCollection {
    /// Records in one transaction that revisions are now current at the remote, and the list that belongs to a checkpoint; `nil` does not
    /// change the list.
    func markSynced(
        _ revisions: [(documentID: String, revision: RevisionID)],
        remote: Int,
        unanswered: (list: UnansweredRevisions, checkpointName: String)?
    ) throws {
        guard let unanswered else { return try markSynced(revisions, remote: remote) }
        try database.transaction { writer in
            if !revisions.isEmpty { try store.noteRemoteAncestors(revisions, remote: remote, in: writer) }
            let name = ReplicaDatabase.unansweredName(unanswered.checkpointName)
            let document = unanswered.list.isEmpty ? nil : RawStore.Document(body: unanswered.list.json())
            try RawStore.checkpoints.set(name, to: document, in: writer)
        }
    }
}
