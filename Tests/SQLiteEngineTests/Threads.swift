import Foundation
import SQLiteEngine

/// Runs `body` on a thread of its own: unlike a task, it may block and always is the same thread to locks and pools.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(with: Swift.Result { try body() })
        }
    }
}

/// Runs `body` on a thread of its own and waits for it.
func waitingForThread(_ body: @escaping @Sendable () -> Void) {
    let finished = Signal()
    Thread.detachNewThread {
        body()
        finished.raise()
    }
    finished.wait()
}

/// Something that happens once and that threads can wait for.
///
/// `@unchecked Sendable`: `isRaised` is touched only under `lock`.
final class Signal: @unchecked Sendable {
    private let lock = ConditionLock()
    private var isRaised = false

    func raise() {
        lock.withLock {
            isRaised = true
            lock.wakeAll()
        }
    }

    func wait() {
        lock.withLock { while !isRaised { lock.wait() } }
    }
}
