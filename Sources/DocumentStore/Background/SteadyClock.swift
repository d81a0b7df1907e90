package import Dispatch

/// Time that goes on evenly, whatever the time of day is set to, and being woken at a moment of it.
package protocol SteadyClock: Sendable {
    /// Milliseconds since a moment of no meaning.
    var now: Int64 { get }

    /// Has `body` called once on `queue`, as soon as ``now`` has reached `time`: at once, but never by the calling thread,
    /// when it has already.
    func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall
}

/// The system's clock.
package struct SystemSteadyClock: SteadyClock {
    package init() {}

    private static let nanosecondsPerMillisecond: UInt64 = 1_000_000

    package var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds / Self.nanosecondsPerMillisecond) }

    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        // Work items may be used from any thread; their class does not say so on every system.
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
