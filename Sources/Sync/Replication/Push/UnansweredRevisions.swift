import Base
import DocumentStore
import Fleece

/// The revisions that were sent but not acknowledged because the connection was lost or the process was killed. The peer may or may not
/// have stored them.
///
/// The next session proposes them again. If the peer has one of them, it was pushed by this database, and the listeners must still be
/// notified. The list is used for that, and for the ancestors of documents that have forgotten their trees, because the database has got version
/// vectors since (Version vectors 5.2). It is stored together with the local checkpoint and never sent. It is stored before revisions are sent,
/// once for all that the peer has requested since. Therefore it may contain revisions that were acknowledged just before the process was killed:
/// their listeners are notified again.
struct UnansweredRevisions {
    /// The maximum number of entries. More revisions are never in flight.
    private static let maximumCount = 5000

    private var earlier: [ExactString: RevisionID] = [:]
    /// The revisions of this session that are queued for sending, or were sent and not acknowledged yet.
    private var current: [ExactString: RevisionID] = [:]
    private(set) var hasChanged = false
    /// Whether the stored list lacks a revision that is about to be sent.
    private(set) var lacksRevision = false

    init() {}

    var isEmpty: Bool { earlier.isEmpty && current.isEmpty }

    /// The revisions of trees that earlier sessions sent.
    fileprivate var earlierOfTrees: [(documentID: String, revision: TreeRevisionID)] {
        earlier.sorted { $0.key < $1.key }.compactMap { id, revision in revision.tree.map { (documentID: id.string, revision: $0) } }
    }

    /// Adds a revision that is about to be sent.
    mutating func insert(_ documentID: ExactString, _ revision: RevisionID) {
        guard current[documentID] != revision, earlier.count + current.count < Self.maximumCount else { return }
        current[documentID] = revision
        hasChanged = true
        lacksRevision = true
    }

    /// Removes a revision of this session that will not be sent again.
    mutating func remove(_ documentID: ExactString) {
        if !current.isEmpty, current.removeValue(forKey: documentID) != nil { hasChanged = true }
    }

    /// Removes the revisions of this session that were not sent.
    mutating func removeUnsent(_ isSent: (ExactString) -> Bool) {
        for documentID in current.keys where !isSent(documentID) { remove(documentID) }
    }

    /// Removes the revision of a document that an earlier session sent.
    mutating func removeEarlier(_ documentID: ExactString) {
        if !earlier.isEmpty, earlier.removeValue(forKey: documentID) != nil { hasChanged = true }
    }

    /// Removes a revision that an earlier session sent. Returns `false` if it is not in the list.
    mutating func remove(_ documentID: ExactString, _ revision: RevisionID) -> Bool {
        guard !earlier.isEmpty, earlier[documentID] == revision else { return false }
        removeEarlier(documentID)
        return true
    }

    mutating func noteStored() {
        hasChanged = false
        lacksRevision = false
    }

    /// Returns an array of alternating document IDs and revision IDs, in no particular order. A document can occur twice; its last revision
    /// counts.
    func json() -> [UInt8] {
        JSONWriter.array([earlier, current].joined()) { writer, entry in
            writer.value(entry.key.string)
            writer.value(entry.value.description)
        }.byteArray
    }

    /// Reads the stored form. Invalid entries are ignored.
    init(json: [UInt8]) {
        guard let data = try? FleeceData.parsing(json: json) else { return }
        data.withRoot { root in
            guard let list = root.array else { return }
            for index in stride(from: 0, to: min(list.count, 2 * Self.maximumCount) - 1, by: 2) {
                guard let documentID = list[index]?.string,
                    let revision = list[index + 1]?.string.flatMap({ RevisionID($0) })
                else { continue }
                earlier[ExactString(documentID)] = revision
            }
        }
    }
}

extension ReplicaDatabase {
    func unansweredRevisions(_ checkpointName: String) throws -> UnansweredRevisions {
        try checkpoint(Self.unansweredName(checkpointName)).map { UnansweredRevisions(json: $0) } ?? UnansweredRevisions()
    }

    /// Returns the key of the list. It cannot be equal to a checkpoint ID (Replication 4.2).
    fileprivate static func unansweredName(_ checkpointName: String) -> String { "unanswered-" + checkpointName }
}

extension ReplicaCollection {
    /// Records in one transaction that the revisions of trees that earlier sessions sent are ancestors of the current ones.
    func noteSent(_ unanswered: UnansweredRevisions, remote: Int) throws {
        let revisions = unanswered.earlierOfTrees
        guard !revisions.isEmpty else { return }
        try database.transaction { try store.noteSent(revisions, remote: remote, in: $0) }
    }

    /// Records in one transaction that revisions are now current at the remote, and the list that belongs to a checkpoint; `nil` does not
    /// change the list.
    ///
    /// - Returns: The errors of damaged documents, in which nothing is recorded, with the positions of their revisions.
    @discardableResult
    func markSynced(
        _ revisions: [(documentID: String, revision: RevisionID)],
        remote: Int,
        unanswered: (list: UnansweredRevisions, checkpointName: String)? = nil
    ) throws -> [(index: Int, error: StoreError)] {
        guard !revisions.isEmpty || unanswered != nil else { return [] }
        return try database.transaction { writer in
            let damaged = revisions.isEmpty ? [] : try store.noteRemoteAncestors(revisions, remote: remote, in: writer)
            guard let unanswered else { return damaged }
            let name = ReplicaDatabase.unansweredName(unanswered.checkpointName)
            let document = unanswered.list.isEmpty ? nil : RawStore.Document(body: unanswered.list.json())
            try RawStore.checkpoints.set(name, to: document, in: writer)
            return damaged
        }
    }
}
