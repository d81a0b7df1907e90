import Dispatch
import DocumentStore
import Testing

@Suite("Scheduled calls")
struct ClocksTests {
    private final class Held: Sendable {
        let released: DispatchSemaphore

        init(_ released: DispatchSemaphore) { self.released = released }
        deinit { released.signal() }
    }

    /// Schedules a call that keeps an object, and cancels it. Returns what is signalled when the object is released.
    private func cancelled(_ schedule: (@escaping @Sendable () -> Void) -> ScheduledCall) -> DispatchSemaphore {
        let released = DispatchSemaphore(value: 0)
        let held = Held(released)
        schedule { withExtendedLifetime(held) {} }.cancel()
        return released
    }

    @Test("a call that is cancelled releases what it would have used, long before its time")
    func cancellation() {
        let hour: Int64 = 3_600_000
        let (steady, wall) = (SystemSteadyClock(), SystemWallClock())
        for released in [
            cancelled { steady.wake(at: steady.now + hour, on: .global(), $0) },
            cancelled { wall.wake(at: wall.now + hour, on: .global(), $0) },
            cancelled { steady.wake(at: 0, on: .global(), $0) },
        ] { #expect(released.wait(timeout: .now() + 60) == .success) }
    }

    @Test("a call happens on its queue when its time has come, also if it is over already")
    func calls() {
        let (steady, wall) = (SystemSteadyClock(), SystemWallClock())
        let (queue, called) = (DispatchQueue(label: "calls"), DispatchSemaphore(value: 0))
        func check(_ times: [Int64], _ now: () -> Int64, _ wake: (Int64, @escaping @Sendable () -> Void) -> ScheduledCall) {
            for time in times {
                let call = wake(time) {
                    dispatchPrecondition(condition: .onQueue(queue))
                    called.signal()
                }
                #expect(called.wait(timeout: .now() + 60) == .success, "\(time)")
                #expect(now() >= time)
                call.cancel()
            }
        }
        check([.min, -1, 0, steady.now, steady.now + 20], { steady.now }) { steady.wake(at: $0, on: queue, $1) }
        check([.min, -1, 0, wall.now, wall.now + 20], { wall.now }) { wall.wake(at: $0, on: queue, $1) }
    }
}
