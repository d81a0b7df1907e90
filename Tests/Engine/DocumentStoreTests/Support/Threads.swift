import Foundation
import Synchronization

/// Runs `body` on another thread and waits for it.
func onAnotherThread(_ body: @escaping () throws -> Void) throws {
    try onThreads(1) { _ in try body() }
}

/// Runs `body` on several threads at the same time, waits for all, and throws the first error.
func onThreads(_ count: Int, _ body: @escaping (Int) throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let errors = Mutex<[any Error]>([])
    // The caller waits for every thread, so the body is not used afterwards.
    nonisolated(unsafe) let work = body
    withExtendedLifetime(errors) {
        for number in 0..<count {
            Thread.detachNewThread {
                do {
                    try work(number)
                } catch {
                    errors.withLock { $0.append(error) }
                }
                done.signal()
            }
        }
        for _ in 0..<count { done.wait() }
    }
    if let error = errors.withLock({ $0.first }) { throw error }
}
