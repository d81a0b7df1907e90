#if Replication
package import Dispatch
package import DocumentStore
import Synchronization

/// A clock whose time passes only when a test says so, for the delays of a ``TestLink`` and the retries of its replicators.
public final class TestClock: Sendable {
    private struct Appointment {
        let time: Int64
        let queue: DispatchQueue
        let body: @Sendable () -> Void
    }

    private struct State {
        var now: Int64 = 0
        var appointments: [Int: Appointment] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Creates a clock at time zero.
    public init() {}

    /// The time that has passed.
    public var elapsed: Duration { .milliseconds(state.withLock { $0.now }) }

    /// Lets time pass, to the millisecond. What becomes due is done in the order of time before the function returns; what that leads to on
    /// other threads may happen later.
    ///
    /// Must not be called by a callback of a replicator.
    public func advance(by duration: Duration) {
        let parts = duration.components
        let milliseconds = parts.seconds.multipliedReportingOverflow(by: 1000).partialValue + parts.attoseconds / 1_000_000_000_000_000
        let end = state.withLock { $0.now + max(0, milliseconds) }
        while let next = removeFirst(until: end) { next.queue.sync(execute: next.body) }
        state.withLock { $0.now = max($0.now, end) }
    }

    private func removeFirst(until end: Int64) -> Appointment? {
        state.withLock { state in
            let first = state.appointments.min { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
            guard let first, first.value.time <= end else { return nil }
            state.appointments[first.key] = nil
            state.now = max(state.now, first.value.time)
            return first.value
        }
    }
}

extension TestClock: SteadyClock {
    package var now: Int64 { state.withLock { $0.now } }

    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        let number = state.withLock { state -> Int? in
            guard time > state.now else { return nil }
            state.lastNumber += 1
            state.appointments[state.lastNumber] = Appointment(time: time, queue: queue, body: body)
            return state.lastNumber
        }
        guard let number else {
            queue.async(execute: body)
            return ScheduledCall {}
        }
        return ScheduledCall { [weak self] in self?.state.withLock { $0.appointments[number] = nil } }
    }
}
#endif
