package import BLIP
import DocumentStore
import ExactStrings
import SyncCore

extension Session {
    /// A session that was begun from this side: with a server, a listener, or another database.
    ///
    /// - Parameter currentTime: Seconds since 1970, which checkpoints are marked with.
    package static func active(
        _ database: ReplicaDatabase,
        _ options: ActiveOptions,
        blip: BLIPOptions = BLIPOptions(),
        currentTime: @escaping () -> Int64
    ) -> Session {
        var blip = blip
        blip.maximumMemory = max(blip.maximumMemory, ActiveOptions.maximumMemory)
        // A server sends many documents side by side; they are parsed one at a time.
        blip.bodyCost = 1
        blip.maximumBodySizes[ExactString(Profile.rev)] = ActiveOptions.maximumDocumentSize
        let context = SessionContext(database: database, options: blip, logName: options.logName, currentTime: currentTime)
        return Session(context, ActiveSession(context, options))
    }
}

/// The side that has opened the connection: it keeps the checkpoints, and pushes and pulls side by side (Replication 4.1).
final class ActiveSession: SessionRole {
    private let context: SessionContext
    private let options: ActiveOptions
    private let windows = (send: SendWindow(), pull: PullWindow())
    private let blobs: BlobServer
    private var collections: [ActiveCollection] = []
    /// Whose turn it is to send first.
    private var turn = 0
    /// Whether the app wants the end: nothing new is begun, and what has been done is being saved.
    private var isStopping = false

    /// How long the end may wait for checkpoints to be saved: as long as a channel waits for its peer (Replication 4.13).
    private static let stopTimeout = Duration.seconds(5)

    init(_ context: SessionContext, _ options: ActiveOptions) {
        self.context = context
        self.options = options
        blobs = BlobServer(context)
    }

    var isServing: Bool { false }

    // MARK: The beginning

    func opened() {
        context.attempt {
            let remote = try context.database.remoteID(for: options.remoteURL)
            for (index, options) in options.collections.enumerated() {
                guard let collection = try context.database.collection(options.id) else {
                    throw SyncError(.liteCore, 7, "there is no collection \(options.id.fullName)")
                }
                collections.append(
                    try ActiveCollection(
                        context,
                        collection,
                        index: self.options.isCollectionAware ? index : nil,
                        options: options,
                        session: self.options,
                        remote: remote,
                        windows: windows
                    )
                )
            }
            for collection in collections { try collection.reportStoredConflicts() }
        }
        guard context.isOpen else { return }
        if options.isCollectionAware {
            getCollections()
        } else if let collection = collections.first {
            getCheckpoint(of: collection)
        }
    }

    private func getCollections() {
        let names = collections.map { (id: $0.id, checkpointID: $0.checkpointer.foundName) }
        let message = OutgoingMessage(["Profile": Profile.getCollections], body: CollectionsMessage.json(names))
        context.send(message) { [unowned self] reply in
            do throws(SyncError) {
                if let error = reply.error {
                    guard error.code == 404 else { throw error.fromTheWire }
                    throw SyncError(.liteCore, 19, "the remote side does not support named collections")
                }
                let replies = try CollectionsMessage.parseReply(reply.body, count: collections.count)
                if let index = replies.firstIndex(of: .unknown) {
                    let name = CollectionsMessage.name(of: collections[index].id)
                    context.note(SyncError(.webSocket, 404, "collection '\(name)' is not found on the remote server"))
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
        // With nothing to compare there is nothing to wait for.
        if !checkpointer.hasLocalCopy { collection.begin(isConfirmed: !options.isReset) }
    }

    private func reconcile(_ collection: ActiveCollection, with checkpoint: Checkpoint?, token: String?) {
        let isConfirmed = collection.checkpointer.reconcile(with: checkpoint, token: token)
        collection.begin(isConfirmed: isConfirmed && !options.isReset)
    }

    // MARK: Events

    func handle(_ request: IncomingRequest) {
        // What is not answered comes again in the next session.
        guard !isStopping else { return }
        do throws(SyncError) {
            let collection = try collection(of: request)
            guard !request.isTooLarge || request.profile == Profile.rev else { throw SyncError.messageTooLarge }
            // A server is given what it is just being sent, and nothing else of this database.
            guard !blobs.handle(request, mayRead: { _ in false }), !collection.handle(request) else { return }
            throw SyncError(.blip, 404, "no handler for message")
        } catch {
            context.respond(to: request, error: error)
        }
    }

    /// The collection that a request is about (Replication 3.2).
    private func collection(of request: IncomingRequest) throws(SyncError) -> ActiveCollection {
        let index = request.properties["collection"]
        guard options.isCollectionAware == (index != nil) else {
            throw SyncError(.http, 400, "inappropriate use of the collection property.")
        }
        guard let index else { return collections[0] }
        guard let number = Int(index), collections.indices.contains(number) else {
            throw SyncError(.http, 400, "the collection property is out of range.")
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
        if isStopping { return saveBeforeStopping() }
        guard !collections.isEmpty else { return }
        pump()
        if !isContinuous, !isBusy, collections.count(where: { $0.readNews() }) > 0 { pump() }
        // Whoever has nothing to do saves what has been done.
        for collection in collections where !collection.isBusy { collection.checkpointer.save() }
        // What is done is done when both sides know: the next session begins there.
        let isBusy = isBusy || !collections.allSatisfy(\.checkpointer.isSettled)
        context.updateStatus { $0.isBusy = isBusy }
        // Everything that was there has been replicated.
        if !isBusy, !isContinuous { context.close() }
    }

    /// Closes the connection as soon as what has been done is saved, or cannot be.
    private func saveBeforeStopping() {
        for collection in collections { collection.checkpointer.save() }
        if collections.allSatisfy({ !$0.checkpointer.hasToBeSaved }) { context.close() }
    }

    private func pump() {
        for offset in collections.indices { collections[(turn + offset) % collections.count].pump() }
        turn += 1
    }

    private var isBusy: Bool { collections.contains { $0.isBusy } }

    private var isContinuous: Bool { options.push == .continuous || options.pull == .continuous }

    func disconnected() {
        blobs.disconnected()
        for collection in collections { collection.disconnected() }
    }
}
