package import BLIP
import Base
import DocumentStore
import SyncCore

extension Session {
    /// Creates a session for a connection opened by this side: to a server, a listener or another database.
    ///
    /// - Parameter currentTime: Returns the seconds since 1970. Written into checkpoints.
    package static func active(
        _ database: ReplicaDatabase,
        _ options: ActiveOptions,
        blip: BLIPOptions = BLIPOptions(),
        currentTime: @escaping () -> Int64
    ) -> Session {
        var blip = blip
        blip.maximumMemory = max(blip.maximumMemory, ActiveOptions.maximumMemory)
        // A server sends many documents concurrently, but they are parsed one at a time, so parsed forms are not charged for all of them.
        blip.bodyCost = 1
        blip.maximumBodySizes[ExactString(Profile.rev)] = ActiveOptions.maximumDocumentSize
        // The order of the lists determines the progress of a pull.
        blip.orderedProfile = Profile.changes
        let context = SessionContext(database: database, options: blip, logName: options.logName, currentTime: currentTime)
        return Session(context, ActiveSession(context, options))
    }
}

/// The side that opened the connection. It manages the checkpoints, and pushes and pulls concurrently (Replication 4.1).
final class ActiveSession: SessionRole {
    private let context: SessionContext
    private let options: ActiveOptions
    private let windows = (send: SendWindow(), pull: PullWindow())
    private let blobs: BlobServer
    private var collections: [ActiveCollection] = []
    /// Whether messages name their collection.
    private var isCollectionAware = true
    /// The number of turns in which changes could be read. It determines which collection reads and sends first.
    private var turn = 0
    /// Whether a timer is set for reading more of the feeds.
    private var isReadingPlanned = false
    /// Whether the app has stopped the session. No new work is started, and completed work is being saved.
    private var isStopping = false

    /// The maximum time for saving checkpoints when the session is stopped: as long as a channel waits for its peer (Replication 4.13).
    private static let stopTimeout = Duration.seconds(5)

    init(_ context: SessionContext, _ options: ActiveOptions) {
        self.context = context
        self.options = options
        blobs = BlobServer(context)
    }

    var isServing: Bool { false }

    // MARK: The beginning

    func opened() {
        // In protocol 4 they always do (Version vectors 6.2).
        isCollectionAware =
            options.isCollectionAware || context.naming.usesVersions
            || context.handshake.subprotocol?.isExactly(Subprotocol.versions) ?? false
        context.attempt {
            let remote = try context.database.file.remoteID(for: options.remoteURL)
            if let kind = RemoteKind(context.handshake) { try context.database.file.noteKind(kind, ofRemote: remote) }
            for (index, options) in options.collections.enumerated() {
                guard let collection = try context.database.collection(options.id) else {
                    throw SyncError(engine: .notFound, "the collection \(options.id.fullName) does not exist")
                }
                let replication = CollectionReplication(
                    context: context,
                    collection: collection,
                    index: isCollectionAware ? index : nil,
                    remote: remote,
                    session: self.options,
                    options: options
                )
                collections.append(try ActiveCollection(replication, windows: windows))
            }
            for collection in collections { try collection.reportStoredConflicts() }
        }
        guard context.isOpen else { return }
        if isCollectionAware {
            getCollections()
        } else if let collection = collections.first {
            getCheckpoint(of: collection)
        }
    }

    private func getCollections() {
        let names = collections.map { (id: $0.id, checkpointID: $0.checkpointer.foundName) }
        var properties: Properties = ["Profile": Profile.getCollections]
        properties["uuid"] = context.naming.own.map { CollectionsMessage.uuid($0) }
        let message = OutgoingMessage(properties, body: CollectionsMessage.json(names))
        context.send(message) { [unowned self] reply in
            do throws(SyncError) {
                if let error = reply.error {
                    guard error.code == 404 else { throw error.fromTheWire }
                    throw SyncError(engine: .unsupported, "the remote side does not support named collections")
                }
                let replies = try CollectionsMessage.parseReply(reply.body, count: collections.count)
                if let index = replies.firstIndex(of: .unknown) {
                    let name = collections[index].id.wireName
                    context.note(SyncError(webSocket: .notFound, "collection '\(name)' is not found on the remote server"))
                    return context.close()
                }
                for (collection, reply) in zip(collections, replies) {
                    if case .checkpoint(let checkpoint, let token) = reply {
                        reconcile(collection, with: checkpoint, token: token)
                    } else {
                        reconcile(collection, with: nil, token: nil)
                    }
                }
            } catch {
                context.fail(error)
            }
        }
    }

    private func getCheckpoint(of collection: ActiveCollection) {
        let checkpointer = collection.checkpointer
        context.send(checkpointer.request(checkpointer.foundName)) { [unowned self] reply in
            guard let error = reply.error?.fromTheWire else {
                return reconcile(collection, with: Checkpoint(json: reply.body), token: reply.properties["rev"])
            }
            guard error.domain == .webSocket, error.code == 404 else { return context.fail(error) }
            reconcile(collection, with: nil, token: nil)
        }
        // Without a local copy there is nothing to compare with the response.
        if !checkpointer.hasLocalCopy { collection.begin(isConfirmed: true) }
    }

    private func reconcile(_ collection: ActiveCollection, with checkpoint: Checkpoint?, token: String?) {
        guard let isConfirmed = context.attempt({ try collection.checkpointer.reconcile(with: checkpoint, token: token) }) else { return }
        collection.begin(isConfirmed: isConfirmed)
    }

    // MARK: Events

    func handle(_ request: IncomingRequest) {
        // The peer repeats requests without a response in the next session.
        guard !isStopping else { return }
        do throws(SyncError) {
            let collection = try self.collection(of: request)
            guard !request.isTooLarge || request.profile == Profile.rev else { throw SyncError.messageTooLarge }
            // A server may only read blobs of revisions that are being sent to it.
            guard !blobs.handle(request, mayRead: { _ in false }), !collection.handle(request) else { return }
            throw SyncError(blip: .notFound, "no handler for message")
        } catch {
            context.respond(to: request, error: error)
        }
    }

    /// Returns the collection of a request (Replication 3.2).
    private func collection(of request: IncomingRequest) throws(SyncError) -> ActiveCollection {
        let index = request.properties["collection"]
        guard isCollectionAware == (index != nil) else {
            throw SyncError(http: .badRequest, "inappropriate use of the collection property.")
        }
        guard let index else { return collections[0] }
        guard let number = Int(index), collections.indices.contains(number) else {
            throw SyncError(http: .badRequest, "the collection property is out of range.")
        }
        return collections[number]
    }

    func databaseChanged(_ changed: Set<CollectionID>) {
        for collection in collections where changed.contains(collection.id) { collection.databaseChanged() }
    }

    func conflictSettled(_ id: CollectionID, _ documentID: String) {
        collections.first { $0.id == id }?.conflictSettled(documentID)
    }

    func stop() {
        guard context.isOpen, !isStopping else { return context.close() }
        isStopping = true
        _ = context.after(Self.stopTimeout) { [unowned self] in context.close() }
    }

    func eventHandled() {
        guard context.isOpen else { return }
        for collection in collections {
            if collection.checkpointer.resetDue() { collection.saveCheckpoint() }
        }
        if isStopping { return saveBeforeStopping() }
        guard !collections.isEmpty else { return }
        pump()
        if !isContinuous, !isBusy, collections.count(where: { $0.checkForNewChanges() }) > 0 { pump() }
        // Idle collections save their progress.
        for collection in collections where !collection.isBusy { collection.saveCheckpoint() }
        // The session is busy until both sides have saved the checkpoint, because the next session starts there.
        let isBusy = isBusy || !collections.allSatisfy(\.checkpointer.isSettled)
        context.updateStatus { $0.isBusy = isBusy }
        // All changes have been replicated.
        if !isBusy, !isContinuous { context.close() }
    }

    /// Closes the connection after the completed work has been saved or saving has failed.
    private func saveBeforeStopping() {
        for collection in collections { collection.saveCheckpoint() }
        if collections.allSatisfy({ !$0.checkpointer.hasToBeSaved }) { context.close() }
    }

    private func pump() {
        var budget = ReadingBudget(isEmpty: isReadingPlanned)
        for offset in collections.indices { collections[(turn + offset) % collections.count].pump(&budget) }
        // A turn without a budget must not use up the turn of a collection to read first.
        if !isReadingPlanned { turn += 1 }
        guard budget.isExceeded, !isReadingPlanned else { return }
        isReadingPlanned = true
        // ``eventHandled()`` pumps again after the timer.
        _ = context.after(.zero) { [unowned self] in isReadingPlanned = false }
    }

    private var isBusy: Bool { collections.contains { $0.isBusy } }

    private var isContinuous: Bool { options.push == .continuous || options.pull == .continuous }

    func disconnected() {
        blobs.disconnected()
        for collection in collections { collection.disconnected() }
    }
}
