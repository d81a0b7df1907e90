#if Replication
import Dispatch
import Synchronization

/// The threads that respond to requests. They are separate from the threads of Swift's tasks, because they block while a database is used.
final class RequestThreads: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var next = 0
        var runningCount = 0
    }

    private let state = Mutex(State())
    private let maximumCount: Int
    private let queue = DispatchQueue(label: "CouchbaseLite.requests", attributes: .concurrent)

    /// - Parameter count: The maximum number of threads.
    init(count: Int) { maximumCount = max(count, 1) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let startsThread = state.withLock { state in
            state.jobs.append(job)
            guard state.runningCount < maximumCount else { return false }
            state.runningCount += 1
            return true
        }
        if startsThread { queue.async { self.run() } }
    }

    private func run() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Removes and returns the oldest job. Ends the thread if there is none.
    private func next() -> UnownedJob? {
        state.withLock { state in
            guard state.next < state.jobs.count else {
                state.jobs = []
                state.next = 0
                state.runningCount -= 1
                return nil
            }
            let job = state.jobs[state.next]
            state.next += 1
            if state.next >= 1024, state.next * 2 >= state.jobs.count {
                state.jobs.removeFirst(state.next)
                state.next = 0
            }
            return job
        }
    }
}
#endif
