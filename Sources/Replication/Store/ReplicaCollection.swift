package import DocumentStore
package import Fleece
import Synchronization

/// A collection as replication sees it. All calls are synchronous, and belong on the executor of the session.
package final class ReplicaCollection: Sendable {
    package let store: CollectionStore
    package let database: ReplicaDatabase
    /// Whether the indexes are known to be there.
    private let hasSequenceIndex = Atomic(false)
    private let hasConflictIndex = Atomic(false)

    init(_ store: CollectionStore, of database: ReplicaDatabase) {
        self.store = store
        self.database = database
    }

    package var id: CollectionID { store.id }

    // MARK: What there is

    /// The highest sequence given to a document so far.
    package func lastSequence() throws -> UInt64 { try store.lastSequence() }

    /// Whether there are neither documents nor tombstones.
    package func isEmpty() throws -> Bool { try store.isEmpty() }

    /// The documents whose current revision has a higher sequence, in the order of their sequences, tombstones included.
    ///
    /// The first call makes an index of sequences if there is none. About a microsecond a document; bodies are not read.
    package func changes(after sequence: UInt64, limit: Int, remote: Int?) throws -> [LocalChange] {
        try ensure(.sequences, hasSequenceIndex)
        return try store.changes(after: sequence, limit: limit, remote: remote)
    }

    /// The current revision of one document; nil when there is no such document.
    package func change(of documentID: String, remote: Int?) throws -> LocalChange? {
        try store.change(of: documentID, remote: remote)
    }

    /// One revision of a document with its body and history; nil when it is there no more.
    package func revision(_ id: RevisionID, of documentID: String) throws -> OutgoingRevision? {
        try store.revision(id, of: documentID)
    }

    /// Runs `body`, whose reads all see the same state of the database. Many reads so cost half of what they do alone.
    package func withOneView<Result>(_ body: () throws -> Result) throws -> Result {
        try store.withOneView(body)
    }

    /// The body of a revision, if it is still here, and what its keys stand for: the base of deltas.
    package func body(of revision: RevisionID, documentID: String) throws -> (FleeceData, SharedKeys)? {
        try store.body(of: revision, documentID: documentID)
    }

    // MARK: What a peer has

    /// What the trees say of revisions that a peer offers (Replication 4.6). Those that are here are noted as the peer's; that is done
    /// in one transaction, and only if something changes.
    ///
    /// - Parameters:
    ///   - remote: The number of the peer as a remote; nil when it is none.
    ///   - needsBodies: Whether only ancestors are named whose bodies are still here: deltas need them.
    ///   - refusesConflicts: Whether the answer is ``OfferAnswer/conflict`` to what cannot be a descendant of the current revision.
    package func compare(
        _ rows: [OfferedRevision],
        remote: Int?,
        needsBodies: Bool,
        refusesConflicts: Bool = false
    ) throws -> [OfferAnswer] {
        let answers = try store.compare(rows, remote: remote, needsBodies: needsBodies, refusesConflicts: refusesConflicts)
        guard let remote else { return answers }
        let moved = zip(rows, answers).compactMap { row, answer in
            if case .have(isRemoteAncestorMoved: true, _) = answer { (row.documentID, row.revision) } else { nil }
        }
        if !moved.isEmpty {
            try database.transaction { try store.noteRemoteAncestors(moved, remote: remote, in: $0) }
        }
        return answers
    }

    /// What is answered to revisions that a peer proposes (Replication 3.7).
    package func judge(_ proposals: [ProposedRevision]) throws -> [ProposalAnswer] {
        try store.judge(proposals)
    }

    /// Notes, in one transaction, that revisions are current at the remote now. Documents, sequences and listeners do not notice.
    package func markSynced(_ revisions: [(documentID: String, revision: RevisionID)], remote: Int) throws {
        guard !revisions.isEmpty else { return }
        try database.transaction { try store.noteRemoteAncestors(revisions, remote: remote, in: $0) }
    }

    /// Makes an index that is missing, once.
    func ensure(_ index: HousekeepingIndex, _ isThere: borrowing Atomic<Bool>) throws {
        guard !isThere.load(ordering: .relaxed) else { return }
        if try store.lacks(index) { try database.transaction { try store.create(index, in: $0) } }
        isThere.store(true, ordering: .relaxed)
    }
}

extension ReplicaCollection {
    /// The documents in conflict, in the order of their sequences. The first call makes an index of them if there is none.
    package func conflictedDocuments() throws -> [String] {
        try ensure(.conflicts, hasConflictIndex)
        return try store.conflictedDocuments()
    }

    /// The conflict of a document, with the bodies of both sides; nil when it is in none.
    package func conflict(in documentID: String) throws -> StoredConflict? {
        try store.conflict(in: documentID)
    }

    /// Ends a conflict (Replication 4.7): the remote revision becomes the winning branch, the local one is removed.
    ///
    /// - Returns: Nil, and nothing is changed, when the document has changed meanwhile: read the conflict again.
    package func resolve(_ conflict: StoredConflict, with resolution: ConflictResolution) throws -> ResolvedConflict? {
        try database.transaction { try store.resolve(conflict, with: resolution, in: $0) }
    }

    /// Removes every trace of a document; nothing is pushed. False when there is none.
    package func purge(_ documentID: String) throws -> Bool {
        try database.transaction { try store.purge(documentID, in: $0) }
    }

    /// Removes every trace of documents, in one transaction.
    package func purge(_ documentIDs: [String]) throws {
        guard !documentIDs.isEmpty else { return }
        try database.transaction { writer in
            for documentID in documentIDs { _ = try store.purge(documentID, in: writer) }
        }
    }
}
