package import Dispatch

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
