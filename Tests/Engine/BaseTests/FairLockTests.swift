import Foundation
import Synchronization
import Testing

@testable import Base

@Suite("Fair locks")
struct FairLockTests {
    private final class Shared: Sendable {
        let lock = FairLock()
        let order = Mutex<[Int]>([])
        /// Signalled by each thread when it has had the lock.
        let ended = DispatchSemaphore(value: 0)

        /// Waits until as many threads have asked for the lock.
        func wait(forAsking count: UInt64) {
            // Asking for the lock wakes nobody.
            while lock.numbers.withLock({ $0.next }) < count { Thread.sleep(forTimeInterval: 0.0005) }
        }
    }

    @Test("threads get a fair lock in the order in which they ask for it, also before a thread that asks again at once")
    func order() {
        let shared = Shared()
        shared.lock.withLock {
            for number in 1...4 {
                Thread.detachNewThread {
                    shared.lock.withLock { shared.order.withLock { $0.append(number) } }
                    shared.ended.signal()
                }
                // This thread is the first one.
                shared.wait(forAsking: UInt64(number) + 1)
            }
        }
        shared.lock.withLock { shared.order.withLock { $0.append(5) } }
        for _ in 1...4 { shared.ended.wait() }
        #expect(shared.order.withLock { $0 } == [1, 2, 3, 4, 5])
    }

    @Test("an error of the work releases a fair lock")
    func failure() {
        struct Failure: Error {}
        let lock = FairLock()
        #expect(throws: Failure.self) { try lock.withLock { () throws(Failure) in throw Failure() } }
        #expect(lock.withLock { 1 } == 1)
    }
}
