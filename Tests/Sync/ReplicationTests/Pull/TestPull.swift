import BLIP
import DocumentStore
import SyncCore
import Testing

@testable import Replication

/// A puller in its own session, with a scripted peer.
final class TestPull {
    let replica: TestReplica
    let peer: ScriptedPeer
    private let role: Role

    /// - Parameters:
    ///   - since: The sequence at which the pull begins.
    ///   - isSubscribed: Whether the peer accepts the subscription at once.
    init(
        _ replica: TestReplica? = nil,
        since: RemoteSequence? = nil,
        isSubscribed: Bool = true,
        _ change: (inout PullOptions) -> Void = { _ in }
    ) throws {
        let replica = try replica ?? TestReplica()
        self.replica = replica
        var options = PullOptions()
        change(&options)
        let context = SessionContext(
            database: replica.database,
            options: BLIPOptions(),
            downloadPermits: options.downloadPermits,
            currentTime: { 0 }
        )
        role = Role(context, try replica.collection(), options, since: since)
        peer = ScriptedPeer(Session(context, role))
        if isSubscribed { peer.respond(to: try peer.dequeueOne("subChanges")) }
    }

    var puller: Puller { role.puller }
    /// The reported progress, each time.
    var progress: [String?] { role.progress }
    /// Revisions that the peer is known to have.
    var moved: [String] { role.moved }
    var conflicts: [String] { role.conflicts }

    // MARK: Messages of the peer

    /// Sends a list of changes, and returns the answer.
    @discardableResult
    func changes(_ rows: String) -> String {
        peer.ask("changes", [:], rows)
    }

    func caughtUp() {
        peer.send("changes", [:], "null", isNoReply: true)
    }

    @discardableResult
    func rev(
        _ documentID: String,
        _ revision: String,
        sequence: String,
        history: String? = nil,
        _ body: String = "{}",
        _ more: Properties = [:],
        isNoReply: Bool = false
    ) -> RequestToken {
        var properties: Properties = ["id": documentID, "rev": revision, "sequence": sequence]
        properties["history"] = history
        for (name, value) in more.pairs { properties[name] = value }
        return peer.send("rev", properties, body, isNoReply: isNoReply)
    }

    func norev(_ documentID: String, _ revision: String, sequence: String, error: String = "404") {
        peer.send(
            "norev",
            ["id": documentID, "rev": revision, "sequence": sequence, "error": error, "reason": "gone"],
            "",
            isNoReply: true
        )
    }

    // MARK: Results

    /// The documents that have ended, in short: `a`, `b deleted`, `c removed`, `d LiteCore/5`, `e HTTP/503 again`.
    var ended: [String] {
        peer.documents.map { document in
            var text = document.documentID
            if document.isDeleted { text += " deleted" }
            if document.isAccessRemoved { text += " removed" }
            if let error = document.error { text += " \(error.domain.rawValue)/\(error.code)" }
            if document.isTransient { text += " again" }
            return text
        }
    }

    func json(_ documentID: String) throws -> String? { try replica.json(documentID) }

    func revision(_ documentID: String) throws -> String? {
        try replica.collection().change(of: documentID, remote: 1)?.revision.description
    }

    func remoteAncestor(_ documentID: String) throws -> String? {
        try replica.collection().change(of: documentID, remote: 1)?.remoteAncestor?.description
    }

    /// Checks the database.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try replica.checkAndClose(sourceLocation: sourceLocation)
    }
}

/// What a test can change of a pull.
struct PullOptions {
    var collectionIndex: Int?
    var session = ActiveOptions(remoteURL: "", push: .disabled, pull: .oneShot, collections: [])
    var collection = CollectionOptions(.default)
    var downloadPermits = FairPermits.downloads

    var isContinuous: Bool {
        get { session.pull == .continuous }
        set { session.pull = newValue ? .continuous : .oneShot }
    }
}

/// A session that only pulls.
private final class Role: SessionRole {
    private(set) var progress: [String?] = []
    private(set) var moved: [String] = []
    private(set) var conflicts: [String] = []
    private let context: SessionContext
    private let collection: ReplicaCollection
    private let options: PullOptions
    private let since: RemoteSequence?
    lazy var puller = Puller(
        CollectionReplication(
            context: context,
            collection: collection,
            index: options.collectionIndex,
            remote: 1,
            session: options.session,
            options: options.collection
        ),
        window: PullWindow(),
        post: { [unowned self] in handle($0) }
    )

    init(_ context: SessionContext, _ collection: ReplicaCollection, _ options: PullOptions, since: RemoteSequence?) {
        self.context = context
        self.collection = collection
        self.options = options
        self.since = since
    }

    var isServing: Bool { false }

    func opened() { puller.start(since: since) }

    func handle(_ request: IncomingRequest) {
        if !puller.handle(request) { context.respond(to: request, error: SyncError(.blip, 404)) }
    }

    func databaseChanged(_ collections: Set<CollectionID>) {}
    func conflictSettled(_ collection: CollectionID, _ documentID: String) {}
    func stop() { context.close() }
    func eventHandled() {}
    func disconnected() { puller.disconnected() }

    private func handle(_ event: Puller.Event) {
        switch event {
        case .advanced(let sequence): progress.append(sequence?.json)
        case .remoteAncestorMoved(let documentID, let revision, let isConflictBranch):
            moved.append("\(documentID) \(revision)" + (isConflictBranch ? " in conflict" : ""))
        case .namedRevisionArrived: break
        case .conflict(let documentID): conflicts.append(documentID)
        }
    }
}

/// Something that closures can change.
final class Box<Value>: @unchecked Sendable {
    // Unchecked: tests use it on one thread only.
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}
