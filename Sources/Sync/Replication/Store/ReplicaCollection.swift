package import DocumentStore
import Fleece
import Synchronization

/// The interface of replication to one collection. All calls are synchronous and must be made on the executor of the session.
package final class ReplicaCollection: Sendable {
    /// The collection in the database file.
    package let store: CollectionStore
    /// The database, whose hook is called for the commits of this object.
    package let database: ReplicaDatabase
    /// Returns how the revisions are shown to the peer.
    private let currentView: @Sendable () throws -> RevisionView
    /// Whether the index is known to exist.
    private let hasSequenceIndex = Atomic(false)
    private let hasConflictIndex = Atomic(false)

    init(_ store: CollectionStore, of database: ReplicaDatabase, as view: @escaping @Sendable () throws -> RevisionView) {
        (self.store, self.database, currentView) = (store, database, view)
    }

    /// How the revisions are shown to the peer. It is the same in a session. Elsewhere it changes when the database gets version vectors, maybe from
    /// another process.
    package var view: RevisionView { get throws { try currentView() } }

    /// The names of the collection and its scope.
    package var id: CollectionID { store.id }

    /// Returns the number that distinguishes the collection from others of its name, before and after it; 0 if it has none (Storage format
    /// 2.6).
    package func identity() throws -> UInt64 { try store.identity() }
    /// Returns the highest sequence assigned to a document so far, or 0.
    package func lastSequence() throws -> UInt64 { try store.lastSequence() }
    func isEmpty() throws -> Bool { try store.isEmpty() }
    /// Returns the current revision of one document; `nil` if the document does not exist.
    package func change(of documentID: String, remote: Int?) throws -> LocalChange? {
        try store.change(of: documentID, remote: remote, as: view)
    }
    /// Returns the ID by which the peer knows the current revision of a document.
    ///
    /// - Parameter record: The document, read in a snapshot that has not ended.
    /// - Throws: `corruptDocument` if the IDs for clients with revision trees cannot be decoded.
    package func name(of record: DocumentRecord) throws -> RevisionID {
        guard case .version = record.revision, case .trees(let own) = try view else { return record.revision }
        guard let name = try store.treeIDs(of: record.id, own)?.first else {
            throw StoreError.corruptDocument(documentID: record.id, reason: "it has no revision")
        }
        return name
    }
    /// Returns one revision of a document with its body and history; `nil` if it is not stored.
    package func revision(_ id: RevisionID, of documentID: String) throws -> OutgoingRevision? {
        try store.revision(id, of: documentID, as: view)
    }
    /// Runs `body` so that its reads on this thread all see the same state of the file, whoever commits meanwhile.
    package func withOneSnapshot<Result>(_ body: () throws -> Result) throws -> Result { try store.withOneSnapshot(body) }
    func evaluate(_ proposals: [ProposedRevision], comparingVectors: Bool = false) throws -> [ProposalAnswer] {
        try store.evaluate(proposals, as: view, comparingVectors: comparingVectors)
    }
    /// Returns the conflict of a document; `nil` if the document does not exist or is not in conflict.
    package func conflict(in documentID: String) throws -> StoredConflict? { try store.conflict(in: documentID) }
    func body(of revision: RevisionID, documentID: String) throws -> (FleeceData, SharedKeys)? {
        try store.body(of: revision, documentID: documentID, as: view)
    }

    /// Returns the documents whose current revision has a higher sequence, in sequence order, including tombstones.
    ///
    /// The first call creates the index of sequences if it is missing. Takes about a microsecond per document; bodies are not read.
    ///
    /// - Parameter skip: Called with each change that is damaged, which counts for the limit and is not returned; without it, its error is
    ///   thrown.
    package func changes(
        after sequence: UInt64,
        limit: Int,
        remote: Int?,
        skipping skip: (DamagedChange) throws -> Void = { throw $0.error }
    ) throws -> [LocalChange] {
        try ensure(.sequences, hasSequenceIndex)
        return try store.changes(after: sequence, limit: limit, remote: remote, as: view, skipping: skip)
    }

    /// The changes of a slice of the feed that can be read.
    package struct ReadableChanges {
        /// The changes that can be read, by sequence.
        package fileprivate(set) var changes: [LocalChange] = []
        /// The IDs of the documents whose revision is not known, because they are damaged.
        package fileprivate(set) var damaged: [String] = []
        /// The last sequence that was read; `nil` if there is none.
        package fileprivate(set) var last: UInt64?

        /// The number of changes that were read.
        package var count: Int { changes.count + damaged.count }
    }

    /// Returns the documents as ``changes(after:limit:remote:skipping:)`` does, without those that are damaged.
    package func readableChanges(after sequence: UInt64, limit: Int) throws -> ReadableChanges {
        var read = ReadableChanges()
        read.changes = try changes(after: sequence, limit: limit, remote: nil) { change in
            read.damaged.append(change.documentID)
            read.last = change.sequence
        }
        if let last = read.changes.last?.sequence { read.last = max(last, read.last ?? 0) }
        return read
    }

    /// Compares revisions that a peer offers with the local revision trees (Replication 4.6). Revisions that exist locally are recorded as
    /// the peer's current ones, in one transaction, if that changes anything.
    package func compare(_ rows: [OfferedRevision], _ options: OfferOptions) throws -> [OfferAnswer] {
        let answers = try store.compare(rows, options, as: view)
        guard let remote = options.remote else { return answers }
        let moved = zip(rows, answers).compactMap { row, answer in
            if case .have(isRemoteAncestorMoved: true, _) = answer { (documentID: row.documentID, revision: row.revision) } else { nil }
        }
        try markSynced(moved, remote: remote)
        return answers
    }

    /// Creates an index if it is missing. Checks this only once. Inside a batch of another user, which prevents writing, reads do without
    /// the index.
    func ensure(_ index: HousekeepingIndex, _ isThere: borrowing Atomic<Bool>) throws {
        guard !isThere.load(ordering: .relaxed) else { return }
        if try store.lacks(index) {
            if database.file.isInBatchOfAnother { return }
            try database.transaction { try store.create(index, in: $0) }
        }
        isThere.store(true, ordering: .relaxed)
    }

    /// Returns the IDs of the documents in conflict, in sequence order. The first call creates their index if it is missing.
    package func conflictedDocuments() throws -> [String] {
        try ensure(.conflicts, hasConflictIndex)
        return try store.conflictedDocuments()
    }

    /// Ends a conflict (Replication 4.7): the remote revision becomes the winning branch, and the local branch is removed.
    ///
    /// - Returns: `nil` if the document was changed concurrently. Nothing is changed then; the caller has to read the conflict again.
    package func resolve(_ conflict: StoredConflict, with resolution: ConflictResolution) throws -> ResolvedConflict? {
        try database.transaction { try store.resolve(conflict, with: resolution, in: $0) }
    }

    /// Removes all data of a document. Nothing is pushed. Returns `false` if the document does not exist.
    package func purge(_ documentID: String) throws -> Bool {
        try database.transaction { try store.purge(documentID, in: $0) }
    }

    /// Removes all data of the documents, in one transaction.
    package func purge(_ documentIDs: [String]) throws {
        guard !documentIDs.isEmpty else { return }
        try database.transaction { writer in
            for documentID in documentIDs { _ = try store.purge(documentID, in: writer) }
        }
    }
}
