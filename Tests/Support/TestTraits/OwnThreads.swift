import Foundation
package import Testing

/// Runs tests that wait for sockets, queues or processes on separate threads, a few tests at a time.
///
/// All tests start at the same time, and thousands of tasks share as many threads as there are cores. There, a waiting test is
/// continued only after minutes, when its peer has already timed out.
package struct OwnThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true
    /// Whether the tests run before all waiting tests that are not urgent.
    fileprivate var isUrgent = false

    private static let executor = ThreadPool(threadCount: 16)
    private static let gate = Gate(places: 6)

    package func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await withTaskExecutorPreference(Self.executor) {
            await Self.gate.enter(isUrgent: isUrgent)
            defer { Self.gate.leave() }
            try await function()
        }
    }
}

extension Trait where Self == OwnThreadsTrait {
    /// Runs tests that wait for sockets, queues or processes on separate threads, a few at a time.
    package static var ownThreads: Self { OwnThreadsTrait() }

    /// The same, before other waiting tests: for long tests, and for suites whose tests run one after the other. Otherwise they would still
    /// be running when all others have ended.
    package static var urgentOnOwnThreads: Self { OwnThreadsTrait(isUrgent: true) }
}

/// Threads that run the jobs of tasks in the order of arrival. There are more threads than tests at a time, so that a test that blocks a
/// thread does not delay the others.
///
/// `@unchecked Sendable`: `jobs` is accessed only while `condition` is locked.
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
