import BLIP
import DocumentStore
import LogCore
import SyncCore

/// Sends a client the changes of a collection that it has subscribed to (Replication 6.3).
///
/// It never holds more than some lists of changes and some revisions: a client that does not answer is sent nothing more.
final class PassivePusher {
    private let context: SessionContext
    private let collection: ReplicaCollection
    private let index: Int?
    private let isContinuous: Bool
    private var feed: ChangesFeed
    private let sender: RevisionSender
    private let window: SendWindow
    private var peer = PeerAbilities()

    /// Lists whose answers have not come.
    private var listsInFlight = 0
    /// Revisions that the client wants and that have not been sent.
    private var queue = FIFO<RevisionSender.Order>()
    /// Revisions that have been sent and not been answered.
    private var revisionsInFlight = 0
    /// Whether the feed has been read to its end.
    private var isAtEnd = false
    /// Whether the feed is read on with a timer.
    private var isReadingPlanned = false
    private var hasSaidCaughtUp = false

    /// - Throws: When the database cannot be read.
    init(
        _ context: SessionContext,
        _ collection: ReplicaCollection,
        index: Int?,
        _ subscription: Subscription,
        _ window: SendWindow,
        usesDeltas: Bool
    ) throws {
        self.context = context
        self.collection = collection
        self.window = window
        self.index = index
        isContinuous = subscription.isContinuous
        feed = try ChangesFeed(collection, subscription)
        sender = RevisionSender(collection: collection, index: index, usesDeltas: usesDeltas)
    }

    /// Whether the client must not subscribe again.
    var isActive: Bool { isContinuous || isBusy }

    /// Whether anything is on its way, or left to be sent.
    var isBusy: Bool { !hasSaidCaughtUp || listsInFlight > 0 || !queue.isEmpty || revisionsInFlight > 0 }

    /// Documents of the collection have been changed.
    func databaseChanged() {
        guard isContinuous else { return }
        isAtEnd = false
    }

    /// Sends what there is room for. To be called after every event: the window is shared.
    func advance() {
        sendRevisions()
        announceChanges()
        sayCaughtUp()
    }

    // MARK: Lists

    private func announceChanges() {
        // Afterwards there is rarely more than one, and the next holds all that has changed meanwhile.
        let maximum = hasSaidCaughtUp ? 1 : window.maximumLists
        var skipped = 0
        while !isAtEnd, !isReadingPlanned, listsInFlight < maximum, queue.count < window.maximumQueue {
            guard skipped < ChangeCursor.sliceSize else { return announceMoreSoon() }
            // Nothing can be sent without the feed, and the client would wait for ever.
            guard let slice = context.attempt({ try feed.next() }) else { return }
            isAtEnd = slice.isEnd
            skipped += slice.lookedAt - slice.changes.count
            if !slice.changes.isEmpty { announce(slice.changes) }
        }
    }

    /// Goes on with the feed when others have had their turn: the end of the connection, say.
    private func announceMoreSoon() {
        isReadingPlanned = true
        // The session has everybody send what there is room for after every event.
        _ = context.after(.zero) { [weak self] in self?.isReadingPlanned = false }
    }

    private func announce(_ changes: [LocalChange]) {
        let rows = changes.map {
            AnnouncementRow(
                sequence: $0.sequence,
                documentID: $0.documentID,
                revision: $0.revision,
                isDeleted: $0.isDeleted,
                bodySize: $0.bodySize
            )
        }
        let message = OutgoingMessage(properties(Profile.changes), body: AnnouncementRow.json(rows), isUrgent: true, isCompressed: true)
        listsInFlight += 1
        let time = context.now
        context.send(message, onReply: { [weak self] reply in self?.take(reply, to: changes, sentAt: time) })
    }

    private func take(_ reply: IncomingReply, to changes: [LocalChange], sentAt time: Duration) {
        listsInFlight -= 1
        window.note(roundTrip: context.now - time, at: context.now)
        do throws(SyncError) {
            if let error = reply.error { throw error }
            peer.learn(from: reply.properties)
            let answers = try AnnouncementReply.parse(reply.body, count: changes.count)
            for (change, answer) in zip(changes, answers) {
                guard case .wanted(let ancestors) = answer else { continue }
                context.updateStatus { $0.totalDocuments += 1 }
                queue.append(
                    RevisionSender.Order(
                        documentID: change.documentID,
                        revision: change.revision,
                        sequence: change.sequence,
                        knownAncestors: ancestors
                    )
                )
            }
        } catch {
            // The client knows what it has refused, and does not count it as done.
            context.log(.warning, "a list of \(changes.count) changes was refused: \(error.domain.rawValue) \(error.code)")
        }
    }

    /// Says, once, that everything has been told. Not before the last list is answered: in frames of its own it would overtake it.
    private func sayCaughtUp() {
        guard isAtEnd, listsInFlight == 0, !hasSaidCaughtUp else { return }
        hasSaidCaughtUp = true
        context.send(OutgoingMessage(properties(Profile.changes), body: Array("[]".utf8), isNoReply: true))
    }

    private func properties(_ profile: String) -> Properties {
        var properties: Properties = ["Profile": profile]
        if let index { properties["collection"] = String(index) }
        return properties
    }

    // MARK: Revisions

    private func sendRevisions() {
        guard window.hasRoom, !queue.isEmpty else { return }
        context.attempt {
            try collection.withOneView {
                while window.hasRoom, let order = queue.popFirst() { send(order) }
            }
        }
    }

    private func send(_ order: RevisionSender.Order) {
        switch sender.prepare(for: order, to: peer) {
        case .revision(let message, _, let isDelta, let size, let blobs):
            let ticket = window.send(size: size, at: context.now)
            revisionsInFlight += 1
            context.offeredBlobs.add(blobs)
            context.send(
                message,
                onReply: { [weak self, context] reply in
                    context.offeredBlobs.remove(blobs, isReadable: true)
                    self?.take(reply, to: order, ticket, isDelta: isDelta)
                }
            )
        case .unavailable(let message, let error):
            context.updateStatus { $0.completedDocuments += 1 }
            context.later { [context] in context.log(.info, "\"\(order.documentID)\" cannot be sent: \(error)") }
            context.send(message)
        }
    }

    private func take(_ reply: IncomingReply, to order: RevisionSender.Order, _ ticket: SendWindow.Ticket, isDelta: Bool) {
        window.answered(ticket, at: context.now)
        revisionsInFlight -= 1
        guard let error = reply.error else {
            context.updateStatus { $0.completedDocuments += 1 }
            return context.count { $0.pushed += 1 }
        }
        if isDelta, error.isAboutDelta {
            var order = order
            order.isWhole = true
            return send(order)
        }
        context.updateStatus { $0.completedDocuments += 1 }
        context.log(.info, "\"\(order.documentID)\" was refused: \(error.domain.rawValue) \(error.code)")
    }
}

extension SyncError {
    /// Whether a peer can make nothing of a delta, and is to be sent the whole body (Replication 4.5).
    fileprivate var isAboutDelta: Bool {
        switch (domain, code) {
        case (.http, 422), (.liteCore, 31), (.liteCore, 32): true
        default: false
        }
    }
}
