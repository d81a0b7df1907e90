import Dispatch
import Synchronization

/// Runs an `async` function and waits for it on this thread, which is none of those that run tasks.
enum BlockingTask {
    /// - Parameter cancellation: Cancels the task.
    /// - Throws: The error of `body`; `CancellationError` if it was cancelled before it ended.
    static func run<Result: Sendable>(
        endedBy cancellation: RunCancellation,
        _ body: @escaping @Sendable () async throws -> Result
    ) throws -> Result {
        let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
        let task = Task {
            defer { ended.signal() }
            do {
                let result = try await body()
                outcome.withLock { $0 = .success(result) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        cancellation.onCancel { task.cancel() }
        ended.wait()
        return try outcome.withLock { $0 }?.get() ?? { throw CancellationError() }()
    }
}
