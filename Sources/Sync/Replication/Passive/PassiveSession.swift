package import BLIP
import Base
import DocumentStore
import SyncCore

extension Session {
    /// Creates a session that serves a client (Replication 6).
    ///
    /// - Parameters:
    ///   - database: The database to serve.
    ///   - options: The collections to serve, and the limits.
    ///   - blip: The limits for messages of the client.
    package static func passive(_ database: ReplicaDatabase, _ options: PassiveOptions, blip: BLIPOptions = BLIPOptions()) -> Session {
        var blip = blip
        blip.maximumBodySizes[ExactString(Profile.rev)] = options.maximumDocumentSize
        // A passive session does not need the current time.
        let context = SessionContext(database: database, options: blip, logName: options.logName, currentTime: { 0 })
        return Session(context, PassiveSession(context, options))
    }
}

/// Responds to a client that replicates with this database (Replication 6).
///
/// On its own initiative it only sends the changes that the client has subscribed to. No state survives the connection. It closes the
/// connection only after a fatal error.
final class PassiveSession: SessionRole {
    private let context: SessionContext
    private let options: PassiveOptions
    private let checkpoints: PeerCheckpoints
    private var table: CollectionTable?
    /// Whether it is not known yet whether the client has revision trees or version vectors.
    private var isUndecided = false
    /// The identities of the collections when the client first used them. A checkpoint that the client saves after a collection was deleted
    /// and created again belongs to the deleted one.
    private var identities: [CollectionID: UInt64] = [:]
    private let blobs: BlobServer
    /// Limits what is in flight for all collections together.
    private let window = SendWindow()
    /// The collections that the client has used, in the order of first use.
    private var collections: [(id: CollectionID, state: PassiveCollection)] = []
    /// The index of the collection that sends first.
    private var turn = 0

    init(_ context: SessionContext, _ options: PassiveOptions) {
        self.context = context
        self.options = options
        checkpoints = PeerCheckpoints(database: context.database, prefix: options.checkpointPrefix)
        blobs = BlobServer(context, onlyDuringRevisions: options.standsInForSyncGateway)
    }

    var isServing: Bool { true }

    func opened() {
        guard context.naming.usesVersions else { return }
        // Without a handshake, the first request that names revisions decides.
        guard let subprotocol = context.handshake.subprotocol else { return isUndecided = true }
        context.serve(trees: !subprotocol.isExactly(Subprotocol.versions))
    }

    /// Decides how revisions are shown to a client whose protocol is not known.
    private func decide(by request: IncomingRequest) {
        guard isUndecided, let usesVersions = ClientNaming.usesVersions(request) else { return }
        isUndecided = false
        collections.removeAll()
        context.serve(trees: !usesVersions)
    }

    func handle(_ request: IncomingRequest) {
        decide(by: request)
        do {
            try answer(request)
        } catch {
            let error = options.standsInForSyncGateway ? SyncGatewayAnswers.error(SyncError(error)) : SyncError(error)
            context.log(.info, "responds to \(request.profile) with \(error.domain.rawValue) \(error.code)")
            context.respond(to: request, error: error)
        }
    }

    private func answer(_ request: IncomingRequest) throws {
        // A revision that is too large is passed to its collection, which counts the expected revisions.
        guard !request.isTooLarge || request.profile == Profile.rev else { throw SyncError.messageTooLarge }
        switch request.profile {
        case Profile.getCollections: context.respond(to: request, with: try chooseCollections(request))
        case Profile.getCheckpoint:
            let owner = try identity(of: collectionID(of: request).id)
            context.respond(to: request, with: try checkpoints.get(request, owner: owner, likeSyncGateway: options.standsInForSyncGateway))
        case Profile.setCheckpoint:
            let owner = try identity(of: collectionID(of: request).id)
            context.respond(to: request, with: try checkpoints.set(request, owner: owner, likeSyncGateway: options.standsInForSyncGateway))
        case Profile.getAttachment, Profile.proveAttachment:
            let id = try collectionID(of: request).id
            _ = blobs.handle(request) { try isReadable($0, request, in: id) }
        case Profile.subChanges, Profile.changes, Profile.proposeChanges, Profile.rev, Profile.norev:
            try collection(of: request).handle(request)
        case Profile.unsubChanges where options.standsInForSyncGateway: try collection(of: request).handle(request)
        case Profile.ping where options.standsInForSyncGateway: context.respond(to: request)
        default: throw SyncError(blip: .notFound, options.standsInForSyncGateway ? "No handler for BLIP request" : "no handler for message")
        }
    }

    /// Returns whether a blob belongs to the document named in the request, in a served collection.
    private func isReadable(_ digest: BlobDigest, _ request: IncomingRequest, in id: CollectionID) throws -> Bool {
        guard let documentID = request.properties["docID"], let collection = try context.database.collection(id),
            try collection.isReadable(documentID, by: options.access)
        else { return false }
        return try collection.currentBlobs(of: documentID).contains(digest)
    }

    // MARK: Collections

    /// Selects the collections that a client requests, and returns the response (Replication 3.2).
    private func chooseCollections(_ request: IncomingRequest) throws -> OutgoingMessage {
        let wanted = try CollectionsRequest(body: request.body)
        let chosen = try withTable { table throws(SyncError) in try table.choose(wanted.names) }
        let body = try CollectionsReply.body(zip(chosen, wanted.checkpointIDs)) { id, checkpointID in
            guard let id else { return .unknown }
            let stored = try checkpoints.stored(checkpointID, owner: try identity(of: id))
            return .known(stored, likeSyncGateway: options.standsInForSyncGateway)
        }
        return OutgoingMessage(["Content-Type": "application/json"], body: body, isCompressed: true)
    }

    /// Returns the identity of a collection; 0 if it has none.
    private func identity(of id: CollectionID) throws -> UInt64 {
        if let known = identities[id] { return known }
        guard let collection = try context.database.collection(id) else { throw SyncError(http: .notFound, "the collection was not found") }
        let identity = try collection.identity()
        identities[id] = identity
        return identity
    }

    private func collectionID(of request: IncomingRequest) throws -> (id: CollectionID, index: Int?) {
        try withTable { table throws(SyncError) in try table.collection(of: request) }
    }

    private func collection(of request: IncomingRequest) throws -> PassiveCollection {
        let (id, index) = try collectionID(of: request)
        if let collection = collections.first(where: { $0.id == id }) { return collection.state }
        guard let replica = try context.database.collection(id, as: context.view) else {
            throw SyncError(http: .notFound, "the collection was not found")
        }
        _ = try identity(of: id)
        let collection = PassiveCollection(context, replica, index: index, options, window)
        collections.append((id, collection))
        return collection
    }

    private func withTable<Result>(_ body: (inout CollectionTable) throws(SyncError) -> Result) throws -> Result {
        if table == nil {
            let served = try options.collections.filter { try context.database.collection($0) != nil }
            // Clients of 3.x do not choose if they only use the default collection. Sync Gateway does not insist on it in protocol 4.
            let mustBeChosen = context.naming.usesVersions && !isUndecided && !options.standsInForSyncGateway
            table = CollectionTable(served: served, mustBeChosen: mustBeChosen)
        }
        guard var table else { throw SyncError(engine: .unexpectedError) }
        defer { self.table = table }
        return try body(&table)
    }

    // MARK: Other events

    func databaseChanged(_ changed: Set<CollectionID>) {
        for (id, collection) in collections where changed.contains(id) { collection.databaseChanged() }
    }

    func conflictSettled(_ collection: CollectionID, _ documentID: String) {}

    func stop() { context.close() }

    func eventHandled() {
        // The collections take turns being first, so that they share the window.
        for offset in collections.indices { collections[(turn + offset) % collections.count].state.advance() }
        turn = turn >= collections.count ? 0 : turn + 1
        let isBusy = collections.contains { $0.state.isBusy }
        context.updateStatus { $0.isBusy = isBusy }
    }

    func disconnected() {
        blobs.disconnected()
        for (_, collection) in collections { collection.disconnected() }
    }
}
