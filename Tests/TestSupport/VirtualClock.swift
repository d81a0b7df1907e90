package import Dispatch
import Synchronization

/// A clock that stands still until a test moves it. Whatever is due is done, on its queue, before the move returns.
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

    /// The times at which somebody wants to be woken, in order.
    package var appointments: [Int64] { state.withLock { $0.appointments.values.map(\.time).sorted() } }

    /// Has `body` called on `queue` when it is `time`.
    ///
    /// - Returns: What cancels that.
    package func schedule(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.nextNumber += 1
            state.appointments[state.nextNumber] = Appointment(time: time, queue: queue, body: body)
            return state.nextNumber
        }
        return { [weak self] in self?.state.withLock { $0.appointments[number] = nil } }
    }

    /// Goes on, stopping at every appointment on the way.
    package func advance(by milliseconds: Int64) {
        let end = now + milliseconds
        while let appointment = takeFirst(until: end) { appointment.queue.sync(execute: appointment.body) }
        state.withLock { $0.now = end }
    }

    /// Does what is due now.
    package func settle() {
        advance(by: 0)
    }

    /// Somebody has set the clock: nothing between then and now has happened.
    package func jump(to time: Int64) {
        state.withLock { $0.now = time }
    }

    private func takeFirst(until end: Int64) -> Appointment? {
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
