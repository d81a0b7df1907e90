package import BLIP
import DocumentStore
import LogCore
import SyncCore

/// One side of a replication on one connection: a state machine that is told what happens and says what is to be done.
///
/// It owns no socket, no clock, no thread and no queue, and must not be used by two threads at once. What it does in the database
/// it does at once, so it must not run where a network is served. Frames are fetched with ``nextFrame()`` while the channel has
/// room, after every event and whenever the channel becomes writable.
package final class Session {
    private let context: SessionContext
    private let role: any SessionRole
    private var hasEnded = false

    init(_ context: SessionContext, _ role: any SessionRole) {
        self.context = context
        self.role = role
    }

    /// Takes an event.
    ///
    /// - Parameter time: The time since some fixed moment; it never goes back.
    /// - Returns: What is to be done, in that order.
    package func handle(_ event: SessionEvent, at time: Duration) -> [SessionAction] {
        guard !hasEnded else { return [] }
        context.begin(at: time)
        switch event {
        case .opened(let handshake):
            context.open(handshake)
            if context.isOpen { role.opened() }
        case .frame(let frame): context.receive(frame) { [role] in role.handle($0) }
        case .timer(let timer): context.fire(timer)
        case .databaseChanged(let collections): role.databaseChanged(collections)
        case .conflictSettled(let collection, let documentID): role.conflictSettled(collection, documentID)
        case .stop: role.stop()
        case .closed(let closure): return end(closure)
        }
        return finishHandling()
    }

    /// Takes frames that have come together, in order. It costs less than one event after the other: what follows from them is done, and
    /// reported, once.
    ///
    /// - Parameter time: As for ``handle(_:at:)``.
    /// - Returns: What is to be done, in that order.
    package func handle(frames: [[UInt8]], at time: Duration) -> [SessionAction] {
        guard !hasEnded else { return [] }
        context.begin(at: time)
        for frame in frames { context.receive(frame) { [role] in role.handle($0) } }
        return finishHandling()
    }

    /// Does what follows from what has been handled.
    private func finishHandling() -> [SessionAction] {
        repeat {
            context.runDeferred()
            role.eventHandled()
        } while context.hasDeferred
        return context.takeActions()
    }

    /// The next frame to be sent, if there is one.
    package func nextFrame() -> [UInt8]? {
        context.nextFrame()
    }

    /// What the session's connection holds in memory. Whoever keeps frames for it counts them here too.
    package var account: MemoryAccount { context.memory }

    /// The bytes of requests that wait until the peer has taken the answers to earlier ones. Its frames should not be read for ever meanwhile.
    package var waitingByteCount: Int { context.waitingByteCount }

    /// To be called when the channel took a frame and has no room for another: while that happens, bytes are scarcer than time, and
    /// frames are compressed more.
    package func noteChannelIsFull() {
        context.noteChannelIsFull()
    }

    private func end(_ closure: ChannelClosure) -> [SessionAction] {
        hasEnded = true
        context.disconnect()
        role.disconnected()
        if let error = closure.sessionError(isServing: role.isServing) { context.note(error) }
        let actions = context.takeActions() + [.report(.ended(context.error))]
        context.logEnd()
        return actions
    }
}

/// What makes a session active or passive.
protocol SessionRole: AnyObject {
    /// Whether all is done when the peer says so.
    var isServing: Bool { get }
    func opened()
    func handle(_ request: IncomingRequest)
    func databaseChanged(_ collections: Set<CollectionID>)
    func conflictSettled(_ collection: CollectionID, _ documentID: String)
    /// The app wants the end: closes the connection, when what must not be lost has been saved.
    func stop()
    /// An event has been handled: the place to look whether there is anything left to do.
    func eventHandled()
    /// The connection has ended. Nothing can be sent any more.
    func disconnected()
}

extension ChannelClosure {
    /// What the end of the channel means for a session (Replication 1.8): nil when it was in order.
    fileprivate func sessionError(isServing: Bool) -> SyncError? {
        if let error { return error }
        guard isByPeer else { return nil }
        switch code {
        case 1000 where isServing: return nil
        // That the peer is content says nothing about whether we are.
        case 1000, 1001:
            return SyncError(.webSocket, 1001, reason.isEmpty ? "the peer has closed the connection" : reason)
        case nil: return SyncError(.webSocket, 1006, "the connection has broken off")
        case let code?: return SyncError(.webSocket, code, reason)
        }
    }
}
