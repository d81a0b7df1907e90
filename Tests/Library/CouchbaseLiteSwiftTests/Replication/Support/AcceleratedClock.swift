#if Replication
import DocumentStore
import Foundation

/// A clock that is faster than the system's: delays between attempts end at once, and nothing else is changed.
struct AcceleratedClock: SteadyClock {
    private static let speed: Int64 = 40
    private let system = SystemSteadyClock()

    var now: Int64 { system.now * Self.speed }

    func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        system.wake(at: (time + Self.speed - 1) / Self.speed, on: queue, body)
    }
}
#endif
