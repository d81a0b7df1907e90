#if Replication
import Foundation
import Synchronization
import TestTraits
import Testing

@testable import WebServer

@Suite("Threads that respond to requests", .ownThreads)
struct RequestThreadsTests {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private final class Counts: Sendable {
        let running = Mutex((now: 0, most: 0))
    }

    @Test("requests that compute on all processors do not keep another one from being served")
    func computing() async {
        let count = ProcessInfo.processInfo.activeProcessorCount + 2
        let threads = RequestThreads(count: count)
        let (flag, end) = (Flag(), ContinuousClock.now + .seconds(300))
        let computing = (1..<count).map { _ in
            Task(executorPreference: threads) {
                // The end is for a test that fails.
                while !flag.isSet.load(ordering: .relaxed), ContinuousClock.now < end {}
                return flag.isSet.load(ordering: .relaxed)
            }
        }
        let other = Task(executorPreference: threads) { flag.isSet.store(true, ordering: .relaxed) }
        for task in computing { #expect(await task.value) }
        await other.value
    }

    @Test("no more requests run at a time than there are threads, and all are served")
    func count() async {
        let threads = RequestThreads(count: 3)
        let counts = Counts()
        let tasks = (0..<300).map { _ in
            Task(executorPreference: threads) {
                counts.running.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                sched_yield()
                counts.running.withLock { $0.now -= 1 }
            }
        }
        for task in tasks { await task.value }
        let (now, most) = counts.running.withLock { $0 }
        #expect(now == 0 && (1...3).contains(most))
    }
}
#endif
