package import Dispatch
package import DocumentStore
import Synchronization

/// The clock of a device, which changes only when a test sets it. Nothing expires by itself.
package final class SettableClock: WallClock {
    private let milliseconds: Atomic<Int64>

    /// - Parameter now: The time in milliseconds since 1970.
    package init(_ now: Int64 = 1_700_000_000_000) { milliseconds = Atomic(now) }

    package var now: Int64 { milliseconds.load(ordering: .relaxed) }

    package func set(_ time: Int64) { milliseconds.store(time, ordering: .relaxed) }

    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        ScheduledCall(cancel: {})
    }
}
