import Base
import Synchronization
import Testing

@Suite("Observers of changes")
struct ChangeObserversTests {
    @Test("each observer is called once for each change, until its observation is released")
    func calls() {
        let observers = ChangeObservers()
        let counts = Mutex([0, 0])
        let first = observers.add { counts.withLock { $0[0] += 1 } }
        observers.notify()
        do {
            let second = observers.add { counts.withLock { $0[1] += 1 } }
            observers.notify()
            withExtendedLifetime(second) {}
        }
        observers.notify()
        #expect(counts.withLock { $0 } == [3, 1])
        #expect(observers.count == 1)
        withExtendedLifetime(first) {}
    }

    @Test("an observer may add another one and end itself while it is called, and an observation may outlive the observers")
    func reentrance() {
        let observations = Mutex<[ChangeObservation]>([])
        let calls = Mutex(0)
        do {
            let observers = ChangeObservers()
            let changed: @Sendable () -> Void = { [weak observers] in
                guard let observers else { return }
                let added = observers.add { calls.withLock { $0 += 1 } }
                let ended = observations.withLock { observations in
                    defer { observations = [added] }
                    return observations
                }
                withExtendedLifetime(ended) {}
            }
            observations.withLock { $0 = [observers.add(changed)] }
            observers.notify()
            observers.notify()
            #expect(observers.count == 1)
        }
        // The observers are gone, so releasing the observation does nothing.
        observations.withLock { $0 = [] }
        #expect(calls.withLock { $0 } == 1)
    }
}
