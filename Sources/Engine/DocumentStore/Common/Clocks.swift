package import Dispatch
import Foundation

/// The time of day, with scheduled calls.
package protocol WallClock: Sendable {
    /// The time in milliseconds since 1970. It can jump when the system clock is changed.
    var now: Int64 { get }

    /// Calls `body` once on `queue` as soon as ``now`` has reached `time`. If it has already, `body` is called soon, but never by the
    /// calling thread.
    func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall
}

/// A scheduled call, which can be cancelled.
package struct ScheduledCall: Sendable {
    private let cancellation: @Sendable () -> Void

    package init(cancel: @escaping @Sendable () -> Void) { cancellation = cancel }

    /// Cancels the call. Has no effect if the call has already started.
    package func cancel() { cancellation() }
}

/// The system's wall clock.
package struct SystemWallClock: WallClock {
    package init() {}

    package var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        let delay = Int(clamping: max(0, time.subtractingReportingOverflow(now).partialValue))
        // Safe: dispatch sources are thread-safe, but their protocol is not marked as `Sendable` on every system.
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

/// A monotonic clock, which is independent of changes of the system time, with scheduled calls.
package protocol SteadyClock: Sendable {
    /// The time in milliseconds since an unspecified moment.
    var now: Int64 { get }

    /// Calls `body` once on `queue` as soon as ``now`` has reached `time`. If it has already, `body` is called soon, but never by the
    /// calling thread.
    func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall
}

/// The system's monotonic clock.
package struct SystemSteadyClock: SteadyClock {
    package init() {}

    private static let nanosecondsPerMillisecond: UInt64 = 1_000_000

    package var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / Self.nanosecondsPerMillisecond) }

    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        // Safe: work items are thread-safe, but their class is not marked as `Sendable` on every system.
        nonisolated(unsafe) let item = DispatchWorkItem(block: body)
        let delay = time - now
        if delay <= 0 {
            queue.async(execute: item)
        } else {
            queue.asyncAfter(deadline: .now() + .milliseconds(Int(delay)), execute: item)
        }
        return ScheduledCall { item.cancel() }
    }
}
