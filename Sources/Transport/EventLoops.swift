#if Replication
import LogCore
import NIOCore
import NIOPosix

/// The threads of all connections. They only transfer bytes, so few threads are enough.
enum EventLoops {
    /// The event loops. They are created on first use and live as long as the process.
    static let shared: any EventLoopGroup = {
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
#endif
