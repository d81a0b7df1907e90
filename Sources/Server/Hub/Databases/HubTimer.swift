#if Replication
import Dispatch
import DocumentStore

/// Calls after a time, on a queue of its own. The threads that tasks share are not used, because the app, or the tests that run a hub, may need all
/// of them for minutes.
enum HubTimer {
    private static let queue = DispatchQueue(label: "CouchbaseLite.hub.timer")

    /// Calls `body` when at least the time has passed, unless the call is cancelled before.
    static func call(
        afterMilliseconds time: Int,
        clock: any SteadyClock = SystemSteadyClock(),
        _ body: @escaping @Sendable () -> Void
    ) -> ScheduledCall {
        // The clock has whole milliseconds.
        clock.wake(at: clock.now + Int64(time) + 1, on: queue, body)
    }
}
#endif
