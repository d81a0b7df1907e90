import BLIP
import DocumentStore
import SyncCore

/// What a client does with one collection on its connection.
final class PassiveCollection {
    private let context: SessionContext
    private let replica: ReplicaCollection
    private let index: Int?
    private let options: PassiveOptions
    private let puller: PassivePuller
    private let window: SendWindow
    private var pusher: PassivePusher?

    /// - Parameter index: The number of the collection in messages; nil where collections are not named.
    init(_ context: SessionContext, _ replica: ReplicaCollection, index: Int?, _ options: PassiveOptions, _ window: SendWindow) {
        self.window = window
        self.context = context
        self.replica = replica
        self.index = index
        self.options = options
        puller = PassivePuller(context, replica, index: index, options)
    }

    /// Answers a request.
    ///
    /// - Throws: What is to be answered instead.
    func handle(_ request: IncomingRequest) throws {
        switch request.profile {
        case Profile.subChanges: try subscribe(request)
        default:
            guard !options.isReadOnly else { throw SyncError(.http, 403, "Attempting to push to a pull-only replicator") }
            try puller.handle(request)
        }
    }

    private func subscribe(_ request: IncomingRequest) throws {
        let subscription = try Subscription(request)
        guard pusher?.isActive != true else { throw SyncError(.liteCore, 501, "the client has subscribed to the changes already") }
        pusher = try PassivePusher(context, replica, index: index, subscription, window, usesDeltas: options.usesDeltas)
        var reply = OutgoingMessage([:])
        if subscription.wantsLastSequence {
            reply = OutgoingMessage([PullEstimate.property: String(try replica.lastSequence())])
        }
        context.respond(to: request, with: reply)
    }

    func databaseChanged() {
        pusher?.databaseChanged()
    }

    /// Sends what there is room for.
    func advance() {
        pusher?.advance()
    }

    var isBusy: Bool { pusher?.isBusy == true || puller.isBusy }

    func disconnected() {
        puller.disconnected()
        pusher = nil
    }
}
