#if Replication
import LogCore
import NIOCore
import NIOPosix

/// The threads of all connections. They do nothing but move bytes, so few are enough.
enum EventLoops {
    /// Made when first used; lives as long as the process.
    static let shared: any EventLoopGroup = {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: min(2, System.coreCount))
        // What is said on them reaches the app's log on another thread.
        for loop in group.makeIterator() { loop.execute { SharedThread.mark() } }
        return group
    }()

    /// Says something about the network for a task: on an event loop, since a task must not wait for code of the app either.
    static func log(_ message: String) {
        guard EngineLog.isEnabled(.info, .network) else { return }
        shared.next().execute { EngineLog.log(.info, .network, message) }
    }
}
#endif
