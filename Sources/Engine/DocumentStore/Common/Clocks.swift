package import Dispatch
import Foundation

/// The time of day, with scheduled calls.
package protocol WallClock: Sendable {
    /// The time in milliseconds since 1970. It can jump when the system clock is changed.
    var now: Int64 { get }

    /// The time in nanoseconds since 1970, for versions; that of ``now`` unless the clock is more precise.
    var nanoseconds: UInt64 { get }

    /// Calls `body` once on `queue` as soon as ``now`` has reached `time`. If it has already, `body` is called soon, but never by the
    /// calling thread.
    func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall
}

extension WallClock {
    /// The time in nanoseconds since 1970: that of ``now``.
    package var nanoseconds: UInt64 { UInt64(clamping: now).multipliedReportingOverflow(by: 1_000_000).partialValue }
}

/// A scheduled call, which can be cancelled.
package struct ScheduledCall: Sendable {
    private let cancellation: @Sendable () -> Void

    /// Creates a call that `cancel` cancels.
    package init(cancel: @escaping @Sendable () -> Void) { cancellation = cancel }

    /// Cancels the call. Has no effect if the call has already started.
    package func cancel() { cancellation() }

    /// Returns the call of `body` by a timer. Unlike a work item with a deadline, a timer that is cancelled releases `body` at once.
    fileprivate static func onTimer(
        _ queue: DispatchQueue,
        _ body: @escaping @Sendable () -> Void,
        _ schedule: (any DispatchSourceTimer) -> Void
    ) -> ScheduledCall {
        // Safe: dispatch sources are thread-safe, but their protocol is not marked as `Sendable` on every system.
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
        schedule(timer)
        timer.setEventHandler {
            timer.cancel()
            body()
        }
        timer.activate()
        return ScheduledCall { timer.cancel() }
    }
}

/// The system's wall clock.
package struct SystemWallClock: WallClock {
    package init() {}

    package var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    package var nanoseconds: UInt64 {
        var time = timespec()
        guard clock_gettime(CLOCK_REALTIME, &time) == 0 else { return UInt64(clamping: now) &* 1_000_000 }
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }

    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        let now = now
        // The time may come from a file: the difference from a time far in the past would overflow.
        let delay = time > now ? Int(time - now) : 0
        return .onTimer(queue, body) { timer in
            timer.schedule(wallDeadline: .now() + .milliseconds(delay), leeway: .milliseconds(delay / 10))
        }
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
        let now = now
        if time > now {
            return .onTimer(queue, body) { $0.schedule(deadline: .now() + .milliseconds(Int(time - now)), leeway: .nanoseconds(0)) }
        }
        // Safe: work items are thread-safe, but their class is not marked as `Sendable` on every system.
        nonisolated(unsafe) let item = DispatchWorkItem(block: body)
        queue.async(execute: item)
        return ScheduledCall { item.cancel() }
    }
}
