import BLIP
import Base
import DocumentStore
import SyncCore

/// Manages the checkpoint of one collection: reads both copies, and saves the checkpoint on both sides after it has changed
/// (Replication 4.2).
final class Checkpointer {
    private let context: SessionContext
    private let collection: ReplicaCollection
    private let collectionIndex: Int?
    private let interval: Duration
    /// The ID under which both sides store the checkpoint.
    let name: String
    /// The ID under which the local copy was found. It differs from ``name`` if this database is a copy of the one that stored it.
    private(set) var foundName: String

    private(set) var checkpoint = Checkpoint()
    /// Whether a local copy exists. If so, the session must wait for the peer's copy.
    private(set) var hasLocalCopy = false
    /// The checkpoint that both sides have stored; `nil` if their copies differ.
    private var savedCheckpoint: Checkpoint? = Checkpoint()
    /// The revision ID that the peer requires when its copy is replaced; `nil` if the peer has no copy or did not report it.
    private var token: String?
    /// Whether the response to the request for the peer's copy has been received.
    private var knowsPeer = false
    private var hasChanged = false
    private var isSaving = false
    /// Whether the peer refused the checkpoint that was sent last.
    private var isRefused = false
    private var timer: SessionTimer?
    /// Whether the interval since a change has passed.
    private var isDue = false

    /// - Throws: An error of the database.
    init(_ replication: CollectionReplication) throws {
        context = replication.context
        collection = replication.collection
        collectionIndex = replication.index
        interval = replication.session.checkpointInterval
        name = try context.database.checkpointName(of: replication.options, replication.session)
        foundName = name
        if let stored = try context.database.storedCheckpoint(of: replication.options, collection, replication.session) {
            checkpoint = stored.checkpoint
            hasLocalCopy = true
            foundName = stored.name
        } else {
            checkpoint.collection = try collection.identity()
            // Remote ancestors may have been recorded by a replication that was reset, or before the peer lost something.
            checkpoint.unverified = try collection.lastSequence()
        }
        savedCheckpoint = checkpoint
    }

    /// Reconciles the checkpoint with the peer's copy; `nil` if the peer has none. If the copies differ, the remote ancestors recorded so far are
    /// not relied on (Replication 4.3). Returns whether both copies agree.
    ///
    /// - Throws: An error of the database.
    func reconcile(with peer: Checkpoint?, token: String?) throws -> Bool {
        knowsPeer = true
        // A copy under the ID of another database is not overwritten, so its token is not needed.
        self.token = name.isExactly(foundName) ? token : nil
        guard hasLocalCopy else { return true }
        if checkpoint.reconcile(with: peer ?? Checkpoint()) { return true }
        checkpoint.unverified = try collection.lastSequence()
        savedCheckpoint = nil
        changed()
        return false
    }

    /// Whether the remote ancestor of a local change is reliable.
    func trustsRemoteAncestor(of change: LocalChange) -> Bool { change.sequence > checkpoint.unverified }

    /// Changes the checkpoint and schedules saving it.
    func change(_ body: (inout Checkpoint) -> Void) {
        body(&checkpoint)
        changed()
    }

    private func changed() {
        hasChanged = true
        guard timer == nil, !isSaving else { return }
        timer = context.after(interval) { [unowned self] in
            timer = nil
            isDue = true
        }
    }

    /// Returns whether a changed checkpoint has to be saved although the session is busy. Returns `true` once.
    func resetDue() -> Bool {
        defer { isDue = false }
        return isDue
    }

    func isCompleted(_ sequence: UInt64) -> Bool { checkpoint.completed.contains(sequence) }

    /// Notes that a change has been pushed, or will never be pushed.
    func complete(_ sequence: UInt64) { change { $0.completed.insert(sequence) } }

    /// Notes that the changes in a range were read from the feed. Those in `pending` are pushed; the others need not be pushed.
    func complete(_ range: Range<UInt64>, except pending: [UInt64]) {
        change { checkpoint in
            checkpoint.completed.insert(range)
            for sequence in pending { checkpoint.completed.remove(sequence) }
        }
    }

    /// Whether the peer's copy has been received and there is nothing to save.
    var isSettled: Bool { knowsPeer && !hasChanged && !isSaving }

    /// Whether progress would be lost if the session ended now. A checkpoint that the peer has refused does not count, because it would be
    /// lost anyway.
    var hasToBeSaved: Bool { isSaving || hasChanged && !isRefused && checkpoint != savedCheckpoint }

    /// Saves a changed checkpoint: first at the peer, because a checkpoint that only the local side has would not be confirmed.
    ///
    /// - Parameter prepare: Records in the database what the checkpoint relies on.
    func save(after prepare: () -> Void) {
        guard knowsPeer, hasChanged, !isSaving, context.isOpen else { return }
        if let timer { context.cancel(timer) }
        timer = nil
        hasChanged = false
        guard checkpoint != savedCheckpoint else { return }
        isSaving = true
        prepare()
        send(checkpoint, json: checkpoint.json(time: context.currentTime()), attempt: 1)
    }

    /// The maximum number of attempts to save a checkpoint that another client changes concurrently.
    private static let maximumAttempts = 4

    private func send(_ checkpoint: Checkpoint, json: [UInt8], attempt: Int) {
        var properties = Properties(Profile.setCheckpoint, collection: collectionIndex)
        properties["client"] = name
        properties["rev"] = token ?? ""
        context.send(OutgoingMessage(properties, body: json)) { [unowned self] reply in
            guard let error = reply.error?.fromTheWire else {
                token = reply.properties["rev"]
                context.attempt { try context.database.setCheckpoint(name, json) }
                savedCheckpoint = checkpoint
                isRefused = false
                context.log(.verbose, "checkpoint saved: \(String(decoding: json, as: UTF8.self))")
                return saved()
            }
            switch (error.domain, error.code) {
            case (.webSocket, 409) where attempt < Self.maximumAttempts:
                learnToken { [unowned self] in send(checkpoint, json: json, attempt: attempt + 1) }
            case (.webSocket, 404) where attempt < Self.maximumAttempts:
                token = nil
                send(checkpoint, json: json, attempt: attempt + 1)
            default:
                // An unsaved checkpoint only means that the next session repeats some work, so the session continues.
                isRefused = true
                error.code == 503 ? context.fail(error) : context.note(error)
                saved()
            }
        }
    }

    private func saved() {
        isSaving = false
        if hasChanged { changed() }
    }

    private func learnToken(_ work: @escaping () -> Void) {
        context.send(request(name)) { [unowned self] reply in
            token = reply.error == nil ? reply.properties["rev"] : nil
            work()
        }
    }

    func request(_ name: String) -> OutgoingMessage {
        var properties = Properties(Profile.getCheckpoint, collection: collectionIndex)
        properties["client"] = name
        return OutgoingMessage(properties)
    }
}
