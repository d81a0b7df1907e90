#if Replication
import Replication

#if canImport(Network)
import Network
#endif

/// Reachability of the network: only Apple's systems report it.
package enum Reachability {
    /// Notifies a replicator of network changes until the returned object is released.
    package static func monitor(for core: ReplicatorCore) -> AnyObject? {
        #if canImport(Network)
        return PathMonitor(core)
        #else
        return nil
        #endif
    }
}

#if canImport(Network)
private final class PathMonitor {
    private let monitor = NWPathMonitor()

    init(_ core: ReplicatorCore) {
        monitor.pathUpdateHandler = { [weak core] path in
            core?.handle(.reachability(isReachable: path.status == .satisfied))
        }
        monitor.start(queue: core.queue)
    }

    deinit {
        monitor.cancel()
    }
}
#endif
#endif
