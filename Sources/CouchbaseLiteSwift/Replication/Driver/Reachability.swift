#if Replication
import Replication

#if canImport(Network)
import Network
#endif

/// What the system knows about the network: only Apple's systems tell.
enum Reachability {
    /// Has a replicator told when the network comes and goes, until the object that is returned goes.
    static func monitor(for core: ReplicatorCore) -> AnyObject? {
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
