#if Replication
import Dispatch
import NIOCore

/// Runs the tasks that make one connection, on a queue of its own.
///
/// An app may keep the threads that all tasks share busy for long: no connection is to time out for that. The event loops are no
/// place either, since reading the system's certificates and checking a chain take their time.
final class ConnectionTasks: TaskExecutor {
    private let queue = DispatchQueue(label: "CouchbaseLite.connecting")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension EventLoopPromise where Value: Sendable {
    /// Has a task keep the promise.
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
