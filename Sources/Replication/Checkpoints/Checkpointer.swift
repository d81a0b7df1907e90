import BLIP
import DocumentStore
import ExactStrings
import LogCore
import SyncCore

/// Keeps the checkpoint of one collection: reads it on both sides, and saves it when it has moved (Replication 4.2).
final class Checkpointer {
    private let context: SessionContext
    private let collectionIndex: String?
    private let interval: Duration
    /// Its name, under which both sides keep it.
    let name: String
    /// The name under which the local copy was found: another one if this database is a copy of the one that wrote it.
    private(set) var foundName: String
    /// Is called before the checkpoint is sent.
    var willSave: () -> Void = {}

    private(set) var checkpoint = Checkpoint()
    /// Whether there is a local copy, so that the peer's must be waited for.
    private(set) var hasLocalCopy = false
    /// What both sides have; nil when they have not the same.
    private var savedCheckpoint: Checkpoint? = Checkpoint()
    /// What the peer's copy has to be replaced by the name of.
    private var token: String?
    /// Whether the peer's copy has been asked for, and the answer has come.
    private var knowsPeer = false
    private var hasChanged = false
    private var isSaving = false
    /// Whether the peer would not take what was sent last.
    private var isRefused = false
    private var timer: SessionTimer?

    /// - Throws: An error of the database.
    init(_ context: SessionContext, _ options: ActiveOptions, _ collection: CollectionOptions, index: Int?) throws {
        self.context = context
        collectionIndex = index.map { String($0) }
        interval = options.checkpointInterval
        name = try context.database.checkpointName(of: collection, options)
        foundName = name
        guard !options.isReset else { return }
        if let stored = try context.database.storedCheckpoint(of: collection, options) {
            checkpoint = stored.checkpoint
            hasLocalCopy = true
            foundName = stored.name
        }
        savedCheckpoint = checkpoint
    }

    /// Takes the peer's copy, or that it has none.
    ///
    /// - Returns: Whether the two sides agree (Replication 4.3).
    func reconcile(with peer: Checkpoint?, token: String?) -> Bool {
        knowsPeer = true
        // Under the name of another database stays what it is.
        self.token = name.isExactly(foundName) ? token : nil
        guard hasLocalCopy else { return true }
        guard checkpoint.reconcile(with: peer ?? Checkpoint()) else {
            savedCheckpoint = nil
            changed()
            return false
        }
        return true
    }

    /// Changes the checkpoint, which will be saved some time later.
    func change(_ body: (inout Checkpoint) -> Void) {
        body(&checkpoint)
        changed()
    }

    private func changed() {
        hasChanged = true
        guard timer == nil, !isSaving else { return }
        timer = context.after(interval) { [unowned self] in
            timer = nil
            save()
        }
    }

    /// Whether the peer's copy has come, and nothing is left to be saved.
    var isSettled: Bool { knowsPeer && !hasChanged && !isSaving }

    /// Whether something would be lost if the session ended now. What the peer has refused to save is lost anyway.
    var hasToBeSaved: Bool { isSaving || hasChanged && !isRefused && checkpoint != savedCheckpoint }

    /// Saves what has changed: on the other side first, since what is known here only would not be confirmed there.
    func save() {
        guard knowsPeer, hasChanged, !isSaving, context.isOpen else { return }
        if let timer { context.cancel(timer) }
        timer = nil
        hasChanged = false
        guard checkpoint != savedCheckpoint else { return }
        isSaving = true
        willSave()
        send(checkpoint, json: checkpoint.json(time: context.currentTime()), attempt: 1)
    }

    /// How often a version that was saved by somebody else is asked for.
    private static let maximumAttempts = 4

    private func send(_ checkpoint: Checkpoint, json: [UInt8], attempt: Int) {
        var properties: Properties = ["Profile": Profile.setCheckpoint]
        properties["collection"] = collectionIndex
        properties["client"] = name
        properties["rev"] = token ?? ""
        context.send(OutgoingMessage(properties, body: json)) { [unowned self] reply in
            guard let error = reply.error?.fromTheWire else {
                token = reply.properties["rev"]
                context.attempt { try context.database.setCheckpoint(name, json) }
                savedCheckpoint = checkpoint
                isRefused = false
                context.log(.verbose, "the checkpoint is saved: \(String(decoding: json, as: UTF8.self))")
                return saved()
            }
            switch (error.domain, error.code) {
            case (.webSocket, 409) where attempt < Self.maximumAttempts:
                learnToken { [unowned self] in send(checkpoint, json: json, attempt: attempt + 1) }
            case (.webSocket, 404) where attempt < Self.maximumAttempts:
                token = nil
                send(checkpoint, json: json, attempt: attempt + 1)
            default:
                // What cannot be saved is done again next time; that is no reason to stop.
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

    /// The message that asks for the peer's copy.
    func request(_ name: String) -> OutgoingMessage {
        var properties: Properties = ["Profile": Profile.getCheckpoint]
        properties["collection"] = collectionIndex
        properties["client"] = name
        return OutgoingMessage(properties)
    }
}
