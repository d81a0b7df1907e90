#if Replication
import Base
import Dispatch
import Foundation
package import NIOCore
import NIOPosix
package import SyncCore
import Synchronization

/// The threads of all connections. They only transfer bytes, so few threads are enough.
package enum EventLoops {
    private static let threadCount = min(2, System.coreCount)
    private static let isPrepared = Mutex(false)

    /// The event loops. They are created on first use and live as long as the process. Call ``prepare()`` before the first use.
    package static let shared: any EventLoopGroup = {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: threadCount)
        // Messages logged on these threads are delivered to the app's log on another thread.
        for loop in group.makeIterator() { loop.execute { SharedThread.mark() } }
        return group
    }()

    /// Creates the event loops, unless they exist.
    ///
    /// NIO ends the process if there are not enough descriptors for them, so this is found out before.
    ///
    /// - Throws: ``SyncError``: POSIX `EMFILE` or `ENFILE` if no more files can be opened.
    package static func prepare() throws(SyncError) {
        let code = isPrepared.withLock { isPrepared -> Int32 in
            guard !isPrepared else { return 0 }
            // Each loop has an epoll descriptor, one for events and one for timers. The others are for sockets, and for what other threads open now.
            let failure = FreeDescriptors.error(ofOpening: 3 * threadCount + 8)
            guard failure == 0 else { return failure }
            _ = shared
            isPrepared = true
            return 0
        }
        guard code == 0 else { throw SyncError(.posix, Int(code), String(cString: strerror(code))) }
    }

    /// Runs work soon on an event loop; on another thread if there are not enough descriptors for event loops.
    static func execute(_ work: @escaping @Sendable () -> Void) {
        do {
            try prepare()
            shared.next().execute(work)
        } catch {
            DispatchQueue.global().async(execute: work)
        }
    }

    /// Logs a message about the network from a task. It is logged on an event loop, because a task must not wait for code of the app.
    static func log(_ message: String) {
        guard EngineLog.isEnabled(.info, .network) else { return }
        execute { EngineLog.log(.info, .network, message) }
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
