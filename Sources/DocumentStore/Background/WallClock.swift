package import Dispatch
import Foundation

/// The time of day, and being woken at one.
package protocol WallClock: Sendable {
    /// Milliseconds since 1970. Can jump, when somebody sets the clock.
    var now: Int64 { get }

    /// Has `body` called once on `queue`, as soon as ``now`` has reached `time`: at once, but never by the calling thread,
    /// when it has already.
    func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall
}

/// A call that is to come.
package struct ScheduledCall: Sendable {
    private let cancellation: @Sendable () -> Void

    package init(cancel: @escaping @Sendable () -> Void) {
        cancellation = cancel
    }

    /// Makes it not come, unless it is on its way already.
    package func cancel() {
        cancellation()
    }
}

/// The system's clock.
package struct SystemWallClock: WallClock {
    package init() {}

    package var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        let delay = Int(clamping: max(0, time.subtractingReportingOverflow(now).partialValue))
        // Sources may be used from any thread; their protocol does not say so on every system.
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(wallDeadline: .now() + .milliseconds(delay), leeway: .milliseconds(delay / 10))
        timer.setEventHandler {
            timer.cancel()
            body()
        }
        timer.activate()
        return ScheduledCall { timer.cancel() }
    }
}
