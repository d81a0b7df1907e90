import BLIP
import SyncCore

final class PassiveCollection {
    private let context: SessionContext
    private let replica: ReplicaCollection
    private let index: Int?
    private let options: PassiveOptions
    private let puller: PassivePuller
    private let window: SendWindow
    private var pusher: PassivePusher?

    /// - Parameter index: The index of the collection in messages; `nil` on connections without named collections.
    init(_ context: SessionContext, _ replica: ReplicaCollection, index: Int?, _ options: PassiveOptions, _ window: SendWindow) {
        self.window = window
        self.context = context
        self.replica = replica
        self.index = index
        self.options = options
        puller = PassivePuller(context, replica, index: index, options)
    }

    /// - Throws: The error to respond with.
    func handle(_ request: IncomingRequest) throws {
        if request.profile == Profile.subChanges { return try subscribe(request) }
        if request.profile == Profile.unsubChanges {
            pusher = nil
            return context.respond(to: request)
        }
        guard !options.isReadOnly else { throw SyncError(http: .forbidden, "Attempting to push to a pull-only replicator") }
        try puller.handle(request)
    }

    private func subscribe(_ request: IncomingRequest) throws {
        let subscription = try Subscription(
            request,
            hasChannels: options.access != nil,
            ignoresVersioning: options.standsInForSyncGateway,
            context.naming
        )
        if options.standsInForSyncGateway {
            guard !subscription.isContinuous || subscription.documentIDs == nil else {
                throw SyncError(http: .badRequest, "DocIDs filter not supported for continuous subChanges")
            }
            guard pusher?.isActive != true else {
                throw SyncError(.http, 500, "blipHandler already has an outstanding subChanges for this collection")
            }
        }
        guard pusher?.isActive != true else { throw SyncError(engine: .notImplemented, "the client has already subscribed to the changes") }
        let memory = MemoryReservation(context.connection.memory)
        guard context.reserve(subscription.memorySize, in: memory) else { return }
        pusher = try PassivePusher(context, replica, index: index, subscription, window, memory, options)
        var properties: Properties = [:]
        if subscription.wantsLastSequence { properties[PullEstimate.property] = String(try replica.lastSequence()) }
        context.respond(to: request, with: OutgoingMessage(properties))
    }

    func databaseChanged() { pusher?.databaseChanged() }

    func advance() { pusher?.advance() }

    var isBusy: Bool { pusher?.isBusy == true || puller.isBusy }

    func disconnected() {
        puller.disconnected()
        pusher = nil
    }
}
