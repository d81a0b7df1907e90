import Foundation
package import Testing

/// Runs tests that wait for others, over sockets, queues or processes, on threads of their own, a few tests at once.
///
/// All tests begin at the same time, and the tasks of thousands take turns on as many threads as there are cores. There a test that
/// waits has its next turn minutes later, when whoever it talks with has given it up.
package struct OwnThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    private static let executor = ThreadPool(threadCount: 16)
    private static let gate = Gate(places: 4)

    package func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await withTaskExecutorPreference(Self.executor) {
            await Self.gate.enter()
            defer { Self.gate.leave() }
            try await function()
        }
    }
}

extension Trait where Self == OwnThreadsTrait {
    /// The tests wait for others: they run on threads of their own, a few at once.
    package static var ownThreads: Self { OwnThreadsTrait() }
}

/// Threads that run the jobs of tasks in the order they come. More threads than tests, so that one that blocks holds up nobody.
///
/// `@unchecked Sendable`: `jobs` is only touched while `condition` is locked.
private final class ThreadPool: TaskExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    init(threadCount: Int) {
        for _ in 0..<threadCount {
            Thread.detachNewThread { [self] in
                while true { nextJob().runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.withLock {
            jobs.append(job)
            condition.signal()
        }
    }

    private func nextJob() -> UnownedJob {
        condition.withLock {
            while jobs.isEmpty { condition.wait() }
            return jobs.removeFirst()
        }
    }
}
