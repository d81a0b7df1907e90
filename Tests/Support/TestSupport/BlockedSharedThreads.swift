import Dispatch
import Foundation

/// Runs `body` while all threads that tasks share are blocked. The caller must run on other threads, as suites with the trait `ownThreads` do.
///
/// - Throws: The errors of `body`; ``BlockedTooLong`` if it took longer than ``waitLimit``.
package func withBlockedSharedThreads(_ body: () async throws -> Void) async throws {
    let finish = DispatchSemaphore(value: 0)
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let blockers = (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in
        Task(executorPreference: globalConcurrentExecutor) {
            start.yield()
            return block(until: finish)
        }
    }
    func release() { for _ in blockers { finish.signal() } }
    var started = starts.makeAsyncIterator()
    for _ in blockers { await started.next() }
    do {
        try await body()
    } catch {
        release()
        throw error
    }
    release()
    for blocker in blockers {
        guard await blocker.value == .success else { throw BlockedTooLong() }
    }
}

/// The threads were blocked for ``waitLimit``, so that what was expected to happen without them may have happened afterwards.
package struct BlockedTooLong: Error {}

/// A blocker that runs first also waits until the others get threads from other tests.
private func block(until semaphore: DispatchSemaphore) -> DispatchTimeoutResult { semaphore.wait(timeout: .now() + waitLimit) }
