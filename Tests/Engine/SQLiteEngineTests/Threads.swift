import Foundation

/// Runs `body` on a separate thread. Unlike a task, the thread may block, and it is always the same thread for locks and pools.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}

/// Runs `body` on a separate thread and waits for it.
func waitingForThread(_ body: @escaping @Sendable () -> Void) {
    let finished = Signal()
    Thread.detachNewThread {
        body()
        finished.raise()
    }
    finished.wait()
}

/// An event that occurs once and for which threads can wait.
///
/// `@unchecked Sendable`: `isRaised` is accessed only under `lock`.
final class Signal: @unchecked Sendable {
    private let lock = NSCondition()
    private var isRaised = false

    func raise() {
        lock.withLock {
            isRaised = true
            lock.broadcast()
        }
    }

    func wait() {
        lock.withLock { while !isRaised { lock.wait() } }
    }
}
