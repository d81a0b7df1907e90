import Base
package import QueryEngine
import Synchronization

/// The blocks of a database that run for tasks, so that the queries inside of them end when the task is cancelled. Thread-safe.
package final class WorkBlocks: Sendable {
    private struct Block {
        let thread: UInt
        let cancellation: QueryCancellation
    }
    private let running = Mutex<[Block]>([])

    package init() {}

    /// Runs `body` on `queue`, like ``WorkQueue/run(_:)``. If the task is cancelled meanwhile, queries in `body` throw `CancellationError`.
    package nonisolated(nonsending) func run<Value: Sendable>(
        on queue: WorkQueue,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let cancellation = QueryCancellation()
        return try await cancellation.withTask {
            try await queue.run { [self] in
                running.withLock { $0.append(Block(thread: currentThreadNumber(), cancellation: cancellation)) }
                defer { running.withLock { $0.removeAll { $0.cancellation === cancellation } } }
                return try body()
            }
        }
    }

    /// What cancels a query of the calling thread: the cancellation of the block in which it runs, otherwise a new one.
    package var cancellation: QueryCancellation {
        let thread = currentThreadNumber()
        return running.withLock { $0.first { $0.thread == thread }?.cancellation } ?? QueryCancellation()
    }
}
