#if Replication
import Dispatch
import Base
package import NIOCore
import NIOPosix

/// The threads of all connections. They only transfer bytes, so few threads are enough.
package enum EventLoops {
    /// The event loops. They are created on first use and live as long as the process.
    package static let shared: any EventLoopGroup = {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: min(2, System.coreCount))
        // Messages logged on these threads are delivered to the app's log on another thread.
        for loop in group.makeIterator() { loop.execute { SharedThread.mark() } }
        return group
    }()

    /// Logs a message about the network from a task. It is logged on an event loop, because a task must not wait for code of the app.
    static func log(_ message: String) {
        guard EngineLog.isEnabled(.info, .network) else { return }
        shared.next().execute { EngineLog.log(.info, .network, message) }
    }
}

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
    func complete(on tasks: any TaskExecutor, with work: @escaping @Sendable () async throws -> Value) {
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
