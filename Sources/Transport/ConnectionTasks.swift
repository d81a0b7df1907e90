#if Replication
import Dispatch
import NIOCore

/// Runs the tasks that establish one connection, on a separate queue.
///
/// The shared thread pool of Swift tasks is not used because the app may block it until connections time out. The event loops are not used
/// because reading the system's certificates and validating a chain take too long.
final class ConnectionTasks: TaskExecutor {
    private let queue = DispatchQueue(label: "CouchbaseLite.connecting")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension EventLoopPromise where Value: Sendable {
    /// Runs the work as a task and completes the promise with its result or error.
    func complete(on tasks: ConnectionTasks, with work: @escaping @Sendable () async throws -> Value) {
        Task(executorPreference: tasks) {
            do {
                succeed(try await work())
            } catch {
                fail(error)
            }
        }
    }
}
#endif
