package import Dispatch
package import DocumentStore
package import TestSupport

extension VirtualClock: WallClock, SteadyClock {
    package func wake(at time: Int64, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) -> ScheduledCall {
        ScheduledCall(cancel: schedule(at: time, on: queue, body))
    }
}

extension DatabaseFile.Options {
    init(clock: VirtualClock) {
        self.init()
        self.clock = clock
    }
}
