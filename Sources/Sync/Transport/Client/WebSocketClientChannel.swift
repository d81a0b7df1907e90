#if Replication
package import SyncCore
import Synchronization

/// A client's WebSocket. It connects when it is opened (Replication 1).
package final class WebSocketClientChannel: FrameChannel {
    /// Receives the events of the channel, serially and on any thread.
    package typealias Receiver = @Sendable (FrameChannelEvent) -> Void

    private enum State {
        case idle
        case connecting(Receiver)
        case open(WebSocketConnection)
        case ended
    }

    private let configuration: ClientConfiguration
    private let attempt = ConnectionAttempt()
    private let tasks = ConnectionTasks()
    private let state = Mutex(State.idle)

    /// Creates a channel, which does nothing before it is opened.
    package init(_ configuration: ClientConfiguration) { self.configuration = configuration }

    package func open(_ receiver: @escaping Receiver) {
        let isNew = state.withLock { state in
            guard case .idle = state else { return false }
            state = .connecting(receiver)
            return true
        }
        guard isNew else { return }
        Task(executorPreference: tasks) { await self.connect(receiver) }
    }

    private func connect(_ receiver: @escaping Receiver) async {
        let connector = ClientConnector(configuration: configuration, attempt: attempt, tasks: tasks)
        do throws(SyncError) {
            try EventLoops.prepare()
            let connection = try await connector.connect()
            let isWanted = state.withLock { state in
                guard case .connecting = state else { return false }
                state = .open(connection)
                return true
            }
            if isWanted { connection.open(receiver) } else { connection.cancel() }
        } catch {
            EventLoops.log("WebSocket: cannot connect to \(configuration.url.hostField): \(error)")
            end(ChannelClosure(code: nil, isByPeer: false, error: error))
        }
    }

    @discardableResult
    package func send(_ frame: [UInt8]) -> Bool { connection?.send(frame) ?? false }

    package func setReading(_ isReading: Bool) { connection?.setReading(isReading) }

    package func close(code: Int, reason: String) {
        if let connection { return connection.close(code: code, reason: reason) }
        end(ChannelClosure(code: code, reason: reason, isByPeer: false))
    }

    package func cancel() {
        if let connection { return connection.cancel() }
        end(.aborted)
    }

    private var connection: WebSocketConnection? {
        state.withLock { state in
            if case .open(let connection) = state { connection } else { nil }
        }
    }

    /// Ends a channel that is not open yet.
    private func end(_ closure: ChannelClosure) {
        let receiver = state.withLock { state -> Receiver? in
            guard case .connecting(let receiver) = state else { return nil }
            state = .ended
            return receiver
        }
        guard let receiver else { return }
        attempt.abandon()
        // The receiver is not called on the caller's thread, because the caller may hold a lock.
        EventLoops.execute { receiver(.closed(closure)) }
    }
}
#endif
