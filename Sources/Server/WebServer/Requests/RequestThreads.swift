#if Replication
import Dispatch
import Synchronization

/// The threads that respond to requests. They are separate from the threads of Swift's tasks, because they block while a database is used.
///
/// Each is a serial queue, because a concurrent queue runs no more jobs at a time than there are processors, as long as these compute: a few
/// queries would delay all other requests until they end.
final class RequestThreads: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var next = 0
        /// The numbers of the queues that run nothing.
        var idle: [Int]
    }

    private let state: Mutex<State>
    private let queues: [DispatchQueue]

    /// - Parameter count: The maximum number of threads.
    init(count: Int) {
        queues = (0..<max(count, 1)).map { DispatchQueue(label: "CouchbaseLite.requests.\($0)") }
        state = Mutex(State(idle: Array(queues.indices.reversed())))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let number = state.withLock { state in
            state.jobs.append(job)
            return state.idle.popLast()
        }
        if let number { queues[number].async { self.run(number) } }
    }

    private func run(_ number: Int) {
        while let job = next(number) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    /// Removes and returns the oldest job. If there is none, the queue becomes idle.
    private func next(_ number: Int) -> UnownedJob? {
        state.withLock { state in
            guard state.next < state.jobs.count else {
                state.jobs = []
                state.next = 0
                state.idle.append(number)
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
