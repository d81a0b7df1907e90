package import Dispatch
import Synchronization

/// A clock that changes only when a test advances it. Work that becomes due is run, on its queue, before `advance(by:)` returns.
package final class VirtualClock: Sendable {
    private struct Appointment: Sendable {
        let time: Int64
        let queue: DispatchQueue
        let body: @Sendable () -> Void
    }

    private struct State {
        var now: Int64
        var appointments: [Int: Appointment] = [:]
        var nextNumber = 0
    }

    private let state: Mutex<State>

    package init(_ now: Int64) {
        state = Mutex(State(now: now))
    }

    package var now: Int64 { state.withLock { $0.now } }

    /// The times of the scheduled calls, sorted.
    package var appointments: [Int64] { state.withLock { $0.appointments.values.map(\.time).sorted() } }

    /// Schedules `body` to be called on `queue` at `time`.
    ///
    /// - Returns: A closure that cancels the call.
    package func schedule(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.nextNumber += 1
            state.appointments[state.nextNumber] = Appointment(time: time, queue: queue, body: body)
            return state.nextNumber
        }
        return { [weak self] in self?.state.withLock { $0.appointments[number] = nil } }
    }

    /// Advances the time, and runs the scheduled calls that become due, each at its time.
    package func advance(by milliseconds: Int64) {
        let end = now + milliseconds
        while let appointment = removeFirst(until: end) { appointment.queue.sync(execute: appointment.body) }
        state.withLock { $0.now = end }
    }

    /// Runs the scheduled calls that are due now.
    package func settle() {
        advance(by: 0)
    }

    /// Sets the time without running the calls scheduled in between, as when a user sets the clock.
    package func jump(to time: Int64) {
        state.withLock { $0.now = time }
    }

    private func removeFirst(until end: Int64) -> Appointment? {
        state.withLock { state in
            guard
                let (number, first) = state.appointments.min(by: { ($0.value.time, $0.key) < ($1.value.time, $1.key) }),
                first.time <= end
            else { return nil }
            state.appointments[number] = nil
            state.now = max(state.now, first.time)
            return first
        }
    }
}
