import Dispatch
import Synchronization

/// Runs work that may block on a few threads, first come, first served, for tasks, which must not block theirs.
final class WorkQueue: Sendable {
    private struct State {
        /// Nil are those that have been taken: nothing of them may stay behind.
        var jobs: [(@Sendable () -> Void)?] = []
        /// The first of the jobs that has not been taken yet.
        var first = 0
        var threads = 0

        mutating func takeFirst() -> (@Sendable () -> Void)? {
            guard first < jobs.count else {
                jobs.removeAll()
                first = 0
                return nil
            }
            // Those done are dropped now and then, not one by one, which would move all others each time.
            if first > 64, first * 2 > jobs.count {
                jobs.removeFirst(first)
                first = 0
            }
            defer { first += 1 }
            return jobs[first].take()
        }
    }

    private let width: Int
    private let queue: DispatchQueue
    private let state = Mutex(State())

    /// - Parameter width: How many jobs may run at the same time.
    init(_ label: String, width: Int) {
        self.width = width
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    /// Runs `work`, and waits for it without blocking a thread.
    ///
    /// - Throws: What `work` throws; `CancellationError` when the task was cancelled before the work began. What has begun
    ///   is brought to its end.
    nonisolated(nonsending) func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let job = Job(work)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if job.wait(continuation) { enqueue { job.run() } }
            }
        } onCancel: {
            job.cancel()
        }
    }

    private func enqueue(_ job: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            guard state.threads < width else { return false }
            state.threads += 1
            return true
        }
        if needsThread { queue.async { self.work() } }
    }

    private func work() {
        while true {
            let job = state.withLock { state in
                let job = state.takeFirst()
                if job == nil { state.threads -= 1 }
                return job
            }
            guard let job else { return }
            job()
        }
    }
}

/// A piece of work that a task waits for. It is either run or cancelled.
private final class Job<Value: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Value, any Error>)
        case decided
    }

    private let work: @Sendable () throws -> Value
    private let state = Mutex(State.new)

    init(_ work: @escaping @Sendable () throws -> Value) {
        self.work = work
    }

    /// Has the continuation resumed in the end. False when the job has been cancelled already, and need not be run.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        let isCancelled = state.withLock { state in
            if case .decided = state { return true }
            state = .waiting(continuation)
            return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        return !isCancelled
    }

    func run() {
        guard let continuation = decide() else { return }
        continuation.resume(with: Swift.Result(catching: work))
    }

    func cancel() {
        decide()?.resume(throwing: CancellationError())
    }

    private func decide() -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            defer { state = .decided }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
    }
}
