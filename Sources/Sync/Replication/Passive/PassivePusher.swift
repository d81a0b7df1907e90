import BLIP
import Base
import DocumentStore
import SyncCore

/// Sends the changes of a collection to a client that has subscribed to them (Replication 6.3).
///
/// The number of lists and revisions in memory is limited: nothing more is sent to a client that does not respond.
final class PassivePusher {
    private let context: SessionContext
    private let collection: ReplicaCollection
    private let index: Int?
    private let isContinuous: Bool
    private var feed: any PassiveFeed
    private let sender: RevisionSender
    private let window: SendWindow
    private let standsInForSyncGateway: Bool
    private let isForSyncGateway: Bool
    private var peer = PeerAbilities()

    /// The changes that are announced when there are as many as the client wants in a list, or no more.
    private var collected: [AnnouncedChange] = []
    /// The number of changes in a list, as the client has requested it; `nil` if lists may be shorter.
    private let listSize: Int?
    /// The number of lists that the client has not responded to.
    private var listsInFlight = 0
    /// The revisions that the client wants and that have not been sent yet.
    private var queue = FIFO<RevisionSender.Order>()
    /// The number of revisions that were sent and not acknowledged yet.
    private var revisionsInFlight = 0
    private var isAtEnd = false
    /// Whether a timer is set for reading more of the feed.
    private var isReadingPlanned = false
    private var hasNotifiedCaughtUp = false
    /// The memory of the subscription, of the changes in unanswered lists, and of the wanted revisions until they are acknowledged.
    private let memory: MemoryReservation
    private var heldSize: Int

    /// - Throws: An error if the database cannot be read.
    init(
        _ context: SessionContext,
        _ collection: ReplicaCollection,
        index: Int?,
        _ subscription: Subscription,
        _ window: SendWindow,
        _ memory: MemoryReservation,
        _ options: PassiveOptions
    ) throws {
        self.memory = memory
        heldSize = subscription.memorySize
        self.context = context
        self.collection = collection
        self.window = window
        self.index = index
        isContinuous = subscription.isContinuous
        standsInForSyncGateway = options.standsInForSyncGateway
        isForSyncGateway = options.isForSyncGateway
        listSize = options.standsInForSyncGateway ? subscription.batchSize : nil
        feed = try options.access?.feed(collection, subscription.request) ?? OpenFeed(SubscriptionFeed(collection, subscription))
        sender = RevisionSender(collection, index: index, context.naming, usesDeltas: options.usesDeltas, access: options.access)
    }

    /// Whether a new subscription must be refused.
    var isActive: Bool { isContinuous || isBusy }

    /// Whether anything is in flight or still has to be sent.
    var isBusy: Bool {
        !hasNotifiedCaughtUp || listsInFlight > 0 || !collected.isEmpty || !queue.isEmpty || revisionsInFlight > 0
    }

    func databaseChanged() {
        guard isContinuous else { return }
        isAtEnd = false
    }

    /// Sends as much as the window allows. Must be called after every event, because the window is shared.
    func advance() {
        sendRevisions()
        announceChanges()
        notifyCaughtUp()
    }

    // MARK: Lists

    private func announceChanges() {
        var skipped = 0
        while !isAtEnd, !isReadingPlanned, hasRoomForList {
            guard skipped < ChangeCursor.sliceSize else { return announceMoreSoon() }
            // A database error ends the session. Without the feed the client would wait forever.
            guard let slice = context.attempt({ try feed.next() }) else { return }
            isAtEnd = slice.isEnd
            skipped += slice.examinedCount - slice.changes.count
            collected += slice.changes
            announceCollected()
        }
    }

    private var hasRoomForList: Bool {
        if context.connection.isShortOfMemory || context.connection.memory.isBudgetShort {
            return listsInFlight == 0 && queue.isEmpty
        }
        // Once the client has caught up, one list at a time is enough: the next one contains all changes made in between.
        return listsInFlight < (hasNotifiedCaughtUp ? 1 : window.maximumLists) && queue.count < window.maximumQueue
    }

    /// Announces the collected changes, except for those with which no list is full yet.
    private func announceCollected() {
        guard let listSize else {
            if !collected.isEmpty { announce(collected) }
            return collected = []
        }
        while collected.count >= listSize || isAtEnd && !collected.isEmpty {
            announce(Array(collected.prefix(listSize)))
            collected.removeFirst(min(listSize, collected.count))
        }
    }

    /// Continues with the feed after other events, such as the end of the connection, were handled.
    private func announceMoreSoon() {
        isReadingPlanned = true
        // The session calls ``advance()`` after every event.
        _ = context.after(.zero) { [weak self] in self?.isReadingPlanned = false }
    }

    private func announce(_ changes: [AnnouncedChange]) {
        let properties = changesProperties
        let body = AnnouncementRow.json(changes, context.naming)
        // A client takes the order in which it receives the lists for the order of the changes.
        let message = OutgoingMessage(properties, body: body, isUrgent: true, isCompressed: true, isOrdered: true)
        listsInFlight += 1
        hold(changes.reduce(0) { $0 + $1.memorySize })
        let time = context.now
        context.send(message) { [weak self, memory] reply in
            // Until the response arrives, the changes are in memory even without a pusher.
            withExtendedLifetime(memory) { self?.handle(reply, to: changes, sentAt: time) }
        }
    }

    /// Adds to the reserved memory, or subtracts from it. The connection is closed if there is no memory.
    private func hold(_ size: Int) {
        heldSize += size
        _ = context.reserve(heldSize, in: memory)
    }

    private func handle(_ reply: IncomingReply, to changes: [AnnouncedChange], sentAt time: Duration) {
        listsInFlight -= 1
        var growth = -changes.reduce(0) { $0 + $1.memorySize }
        defer { hold(growth) }
        window.note(roundTrip: context.now - time, at: context.now)
        do throws(SyncError) {
            if let error = reply.error { throw error }
            peer.learn(from: reply.properties)
            let answers = try ChangeAnswer.parse(reply.body, count: changes.count, context.naming)
            for (change, answer) in zip(changes, answers) {
                guard case .wanted(let ancestors) = answer else { continue }
                context.updateStatus { $0.totalDocuments += 1 }
                let order = RevisionSender.Order(
                    documentID: change.change.documentID,
                    revision: change.change.revision,
                    sequence: change.change.sequence,
                    announcedSequence: change.sequence,
                    knownAncestors: ancestors,
                    isLost: change.loss != nil
                )
                growth += order.memorySize
                queue.append(order)
            }
        } catch {
            // The client refused the list, so it does not count these changes as received.
            context.log(.warning, "a list of \(changes.count) changes was refused: \(error.domain.rawValue) \(error.code)")
        }
    }

    /// Tells the client once that it has caught up. Waits for the response to the last list: a shorter message could overtake a list that
    /// is sent in several frames.
    private func notifyCaughtUp() {
        guard isAtEnd, listsInFlight == 0, !hasNotifiedCaughtUp else { return }
        hasNotifiedCaughtUp = true
        let body = standsInForSyncGateway ? "null" : "[]"
        context.send(OutgoingMessage(changesProperties, body: Array(body.utf8), isNoReply: true))
    }

    private var changesProperties: Properties {
        var properties = Properties(Profile.changes, collection: index)
        if isForSyncGateway { properties[Properties.ignoresNoConflicts] = "true" }
        return properties
    }

    // MARK: Revisions

    private func sendRevisions() {
        guard window.hasRoom, !queue.isEmpty else { return }
        context.attempt {
            try collection.withOneSnapshot {
                while window.hasRoom, let order = queue.popFirst() { send(order) }
            }
        }
    }

    private func send(_ order: RevisionSender.Order) {
        switch sender.prepare(for: order, to: peer) {
        case .revision(let message, let isDelta, let size, let blobs):
            let ticket = window.send(size: size, at: context.now)
            revisionsInFlight += 1
            context.offeredBlobs.add(blobs)
            context.send(message) { [weak self, context, window] reply in
                // The window belongs to the session, also when the client has ended this subscription.
                window.answered(ticket, at: context.now)
                // A refused revision, or a delta without its base, gives the client no reason to read the blobs.
                context.offeredBlobs.remove(blobs, isReadable: reply.error == nil && self?.standsInForSyncGateway != true)
                self?.handle(reply, to: order, isDelta: isDelta)
            }
        case .unavailable(_, let error) where error.domain == .http && error.code == HTTPStatusCode.unauthorized.rawValue:
            // The user was removed. Without the end of the session, the client would take the documents for received.
            context.later { [context] in context.fail(error) }
        case .unavailable(let message, let error):
            hold(-order.memorySize)
            context.updateStatus { $0.completedDocuments += 1 }
            context.later { [context] in context.log(.info, "\"\(order.documentID)\" cannot be sent: \(error)") }
            context.send(message)
        }
    }

    private func handle(_ reply: IncomingReply, to order: RevisionSender.Order, isDelta: Bool) {
        revisionsInFlight -= 1
        if isDelta, reply.error?.fromTheWire.isAboutDelta == true {
            var order = order
            order.isWhole = true
            return send(order)
        }
        hold(-order.memorySize)
        guard let error = reply.error else {
            context.updateStatus { $0.completedDocuments += 1 }
            return context.count { $0.pushed += 1 }
        }
        context.updateStatus { $0.completedDocuments += 1 }
        context.log(.info, "\"\(order.documentID)\" was refused: \(error.domain.rawValue) \(error.code)")
    }
}

extension AnnouncedChange {
    /// The memory that the change uses, in bytes.
    fileprivate var memorySize: Int { 256 + change.documentID.utf8.count }
}

extension RevisionSender.Order {
    /// The memory that the order uses, in bytes.
    fileprivate var memorySize: Int { 256 + documentID.utf8.count + knownAncestors.count * MemoryLayout<RevisionID>.stride }
}

/// The feed of a client that may read all documents.
struct OpenFeed: PassiveFeed {
    private var feed: SubscriptionFeed

    init(_ feed: SubscriptionFeed) { self.feed = feed }

    mutating func next() throws -> PassiveSlice {
        let slice = try feed.next()
        return PassiveSlice(changes: slice.changes.map { AnnouncedChange($0) }, examinedCount: slice.examinedCount, isEnd: slice.isEnd)
    }
}
