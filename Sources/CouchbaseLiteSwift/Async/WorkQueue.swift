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
    private let label: String
    private let state = Mutex(State())

    /// - Parameter width: How many jobs may run at the same time.
    init(_ label: String, width: Int) {
        self.width = width
        self.label = label
    }

    /// Runs `work`, and waits for it without blocking a thread.
    ///
    /// - Throws: What `work` throws; `CancellationError` when the task was cancelled before the work began. What has begun
    ///   is brought to its end.
    nonisolated(nonsending) func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let job = Job(work)
        // Before anything is waited for: so the order is that of the calls.
        enqueue { job.run() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { job.wait($0) }
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
        guard needsThread else { return }
        // Each on a serial queue, which has a thread of its own. Concurrent queues share a few with the tasks of Swift on Linux: work that
        // waits for a lock there could keep all tasks from going on, also the one that has the lock.
        DispatchQueue(label: label).async { self.work() }
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
    private struct State {
        var isDecided = false
        var outcome: Swift.Result<Value, any Error>?
        var waiting: CheckedContinuation<Value, any Error>?
    }

    private let work: @Sendable () throws -> Value
    private let state = Mutex(State())

    init(_ work: @escaping @Sendable () throws -> Value) {
        self.work = work
    }

    func run() {
        if decide() { finish(Swift.Result(catching: work)) }
    }

    /// Makes it not run, unless it has begun.
    func cancel() {
        if decide() { finish(.failure(CancellationError())) }
    }

    /// Has the continuation resumed with the outcome.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waiting = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    /// Whether the caller is the one that says what becomes of it.
    private func decide() -> Bool {
        state.withLock { state in
            defer { state.isDecided = true }
            return !state.isDecided
        }
    }

    private func finish(_ outcome: Swift.Result<Value, any Error>) {
        let continuation = state.withLock { state in
            state.outcome = outcome
            return state.waiting.take()
        }
        continuation?.resume(with: outcome)
    }
}
