#if Replication
import NIOCore
import Synchronization

/// The channel that is being connected. It can be closed on cancellation at any stage of the attempt.
final class ConnectionAttempt: Sendable {
    private struct State {
        var channel: (any Channel)?
        var isAbandoned = false
    }

    private let state = Mutex(State())

    /// Replaces the current channel.
    ///
    /// - Throws: `CancellationError` if the attempt was abandoned. The channel is closed then.
    func adopt(_ channel: any Channel) throws {
        let isAbandoned = state.withLock { state in
            state.channel = channel
            return state.isAbandoned
        }
        guard isAbandoned else { return }
        channel.close(promise: nil)
        throw CancellationError()
    }

    /// Abandons the attempt. Its channel is closed, and no further channel is accepted.
    func abandon() {
        let channel = state.withLock { state in
            state.isAbandoned = true
            return state.channel
        }
        channel?.close(promise: nil)
    }
}
#endif
