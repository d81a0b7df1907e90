import Dispatch
import Synchronization

/// A first-in, first-out queue that runs blocking work of tasks on a few threads, because tasks must not block their own.
package final class WorkQueue: Sendable {
    private struct State {
        /// The queued jobs. A job that was dequeued is replaced by `nil`, so that nothing it refers to is retained.
        var jobs: [(@Sendable () -> Void)?] = []
        /// The index of the first job that has not been dequeued.
        var first = 0
        var threads = 0

        mutating func dequeue() -> (@Sendable () -> Void)? {
            guard first < jobs.count else {
                jobs.removeAll()
                first = 0
                return nil
            }
            // Dequeued jobs are removed in groups: removing each one would move all others every time.
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

    /// - Parameter width: The maximum number of jobs that run at the same time.
    package init(_ label: String, width: Int) { (self.width, self.label) = (width, label) }

    /// Runs `work`, and waits for its result without blocking a thread.
    ///
    /// - Throws: The error of `work`; `CancellationError` if the task was cancelled before `work` began. Work that has begun is completed.
    package nonisolated(nonsending) func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        let job = Job(work)
        // Before the first suspension, so that jobs are queued in the order of the calls.
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
        // Each thread is that of a serial queue. On Linux, concurrent queues share a few threads with Swift's tasks: jobs that wait for a
        // lock there could block all tasks, including the one that holds the lock.
        DispatchQueue(label: label).async { self.work() }
    }

    private func work() {
        while true {
            let job = state.withLock { state in
                let job = state.dequeue()
                if job == nil { state.threads -= 1 }
                return job
            }
            guard let job else { return }
            job()
        }
    }
}

extension WorkQueue {
    /// The queue for work on files that belongs to no open database.
    package static let files = WorkQueue("CouchbaseLite.files", width: 4)
}

/// A job that a task waits for. It is either run or cancelled.
private final class Job<Value: Sendable>: Sendable {
    private struct Work {
        let run: @Sendable () throws -> Value
    }

    private struct State {
        /// `nil` as soon as the job is run or cancelled, so that a cancelled job retains nothing while it is queued.
        var work: Work?
        var outcome: Result<Value, any Error>?
        var waiting: CheckedContinuation<Value, any Error>?
    }

    private let state: Mutex<State>

    init(_ work: @escaping @Sendable () throws -> Value) { state = Mutex(State(work: Work(run: work))) }

    func run() {
        if let work = claim() { finish(Result(catching: work.run)) }
    }

    /// Prevents the job from running, unless it has begun.
    func cancel() {
        if claim() != nil { finish(.failure(CancellationError())) }
    }

    /// Resumes the continuation with the outcome, now or when it is known.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waiting = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    /// Returns the work to the first caller, which determines whether the job is run or cancelled; `nil` to all later ones.
    private func claim() -> Work? { state.withLock { $0.work.take() } }

    private func finish(_ outcome: Result<Value, any Error>) {
        let continuation = state.withLock { state in
            state.outcome = outcome
            return state.waiting.take()
        }
        continuation?.resume(with: outcome)
    }
}

/// The queues on which the `async` functions of a database are run.
package struct DatabaseWork: Sendable {
    /// The queue for functions that write, which run one at a time.
    package let writes = WorkQueue("CouchbaseLite.writes", width: 1)
    /// Its width is the number of connections for reading.
    package let reads = WorkQueue("CouchbaseLite.reads", width: 4)

    package init() {}
}
