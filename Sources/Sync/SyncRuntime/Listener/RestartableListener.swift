#if Replication
import Foundation
import Synchronization

/// A running listener, with what its users are shown of it.
package protocol RunningListener: Sendable {
    /// The service that accepts the connections.
    var service: ListenerService { get }
}

/// A listener that any thread can start and stop, any number of times. It stops itself if its service ends, for example because the
/// database is closed.
package final class RestartableListener<Running: RunningListener>: Sendable {
    private struct State {
        var running: Running?
        /// Whether ``stop()`` was called since the last start began.
        var isStopWanted = false
    }
    private let state = Mutex(State())
    /// Held during a start, which logs: code of the app that receives the message may use ``running``, so `state` is not locked.
    private let startLock = NSRecursiveLock()

    package init() {}

    /// What is running; `nil` if the listener is stopped.
    package var running: Running? { state.withLock { $0.running } }

    /// Starts listening unless the listener is running. Other starts wait until this one is done.
    ///
    /// - Parameter begin: Starts a service, which must call the closure when it starts stopping.
    /// - Throws: The error of `begin`.
    package func start(_ begin: (_ onStop: @escaping @Sendable (ListenerService) -> Void) throws -> Running) throws {
        try startLock.withLock {
            let isRunning = state.withLock { state in
                state.isStopWanted = false
                return state.running != nil
            }
            guard !isRunning else { return }
            let started = try begin { [weak self] in self?.forget($0) }
            let mustStop = state.withLock { state in
                // The service may have stopped already, for example because the database was closed.
                state.running = started.service.isEnding ? nil : started
                return state.isStopWanted
            }
            if mustStop { started.service.stop() }
        }
    }

    /// Starts stopping what is running, or what is being started, and returns immediately.
    package func stop() {
        let running = state.withLock { state in
            state.isStopWanted = true
            return state.running
        }
        running?.service.stop()
    }

    private func forget(_ ended: ListenerService) {
        state.withLock { state in
            if state.running?.service === ended { state.running = nil }
        }
    }
}
#endif
