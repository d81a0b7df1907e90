#if Replication
import NIOCore
import Synchronization

/// The channel that is being connected: who gives up on it can close it, whatever stage it is at.
final class ConnectionAttempt: Sendable {
    private struct State {
        var channel: (any Channel)?
        var isAbandoned = false
    }

    private let state = Mutex(State())

    /// Takes a new channel in the place of the last one.
    ///
    /// - Throws: `CancellationError` when the attempt has been given up; the channel is closed then.
    func adopt(_ channel: any Channel) throws {
        let isAbandoned = state.withLock { state in
            state.channel = channel
            return state.isAbandoned
        }
        guard isAbandoned else { return }
        channel.close(promise: nil)
        throw CancellationError()
    }

    /// Gives up. Nothing is connected any more.
    func abandon() {
        let channel = state.withLock { state in
            state.isAbandoned = true
            return state.channel
        }
        channel?.close(promise: nil)
    }
}
#endif
