package import BLIP
import Base
import DocumentStore
import SyncCore

/// One side of a replication on one connection: a state machine that takes events and returns actions.
///
/// It owns no socket, clock, thread or queue, and must not be used by two threads at the same time. Its database access is synchronous, so
/// it must not run on a thread that serves the network. The owner fetches frames with ``nextFrame()`` while the channel has room: after
/// every event, and whenever the channel becomes writable.
package final class Session {
    private let context: SessionContext
    private let role: any SessionRole
    private var hasEnded = false

    init(_ context: SessionContext, _ role: any SessionRole) { (self.context, self.role) = (context, role) }

    /// Handles an event.
    ///
    /// - Parameter time: The time since a fixed point; it must never decrease.
    /// - Returns: The actions to perform, in order.
    package func handle(_ event: SessionEvent, at time: Duration) -> [SessionAction] {
        guard !hasEnded else { return [] }
        context.now = time
        switch event {
        case .opened(let handshake):
            context.open(handshake)
            if context.isOpen { role.opened() }
        case .frames(let frames):
            for frame in frames { context.receive(frame) { [role] in role.handle($0) } }
        case .timer(let timer): context.fire(timer)
        case .databaseChanged(let collections):
            if context.isOpen { context.checkNaming() }
            role.databaseChanged(collections)
        case .conflictSettled(let collection, let documentID): role.conflictSettled(collection, documentID)
        case .stop: role.stop()
        case .closed(let closure): return end(closure)
        }
        // The follow-up work of the event.
        repeat {
            context.runDeferred()
            role.eventHandled()
        } while context.hasDeferred
        return context.drainActions()
    }

    /// Returns the next frame to send; `nil` if there is none.
    package func nextFrame() -> [UInt8]? { context.nextFrame() }

    /// Returns the actions that fetching frames has caused. The owner must perform them when there is no frame.
    package func drainActions() -> [SessionAction] { hasEnded ? [] : context.drainActions() }

    /// The memory used by the session's connection. An owner that buffers frames for the session charges them to this account too.
    package var memory: MemoryAccount? { context.connection.memory }

    /// The size in bytes of requests that are not handled until the peer has read the responses to earlier ones. While it grows, the owner
    /// should stop reading frames at some point.
    package var waitingByteCount: Int { context.waitingByteCount }

    /// Notes that the channel has accepted a frame and has no room for another one. While the channel is the bottleneck, frames are
    /// compressed more.
    package func noteChannelIsFull() { context.connection.noteChannelIsFull() }

    private func end(_ closure: ChannelClosure) -> [SessionAction] {
        hasEnded = true
        context.disconnect()
        role.disconnected()
        if let error = closure.sessionError(isServing: role.isServing) { context.note(error) }
        let actions = context.drainActions() + [.report(.ended(context.error))]
        context.logEnd()
        return actions
    }
}

/// The behavior of an active or a passive session.
protocol SessionRole: AnyObject {
    /// Whether the session is complete when the peer closes the connection normally.
    var isServing: Bool { get }
    func opened()
    func handle(_ request: IncomingRequest)
    func databaseChanged(_ collections: Set<CollectionID>)
    func conflictSettled(_ collection: CollectionID, _ documentID: String)
    /// Called when the app stops the session. Closes the connection after unsaved progress has been saved.
    func stop()
    /// Called after every event, to check whether there is more work to do.
    func eventHandled()
    /// Called when the connection has ended. Nothing can be sent anymore.
    func disconnected()
}

extension ChannelClosure {
    /// Returns the error that the end of the channel means for a session (Replication 1.8); `nil` if the connection ended normally.
    fileprivate func sessionError(isServing: Bool) -> SyncError? {
        if let error { return error }
        guard isByPeer else { return nil }
        switch code {
        case CloseCode.normal.rawValue where isServing: return nil
        // A normal close by the peer does not mean that this side is finished.
        case CloseCode.normal.rawValue, CloseCode.goingAway.rawValue:
            return SyncError(webSocket: .goingAway, reason.isEmpty ? "the peer closed the connection" : reason)
        case nil: return SyncError(webSocket: .abnormal, "the connection was lost")
        case let code?: return SyncError(.webSocket, code, reason)
        }
    }
}
