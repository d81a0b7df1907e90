#if Replication
import BLIP

/// How much all replicators and listeners of the process may take together.
public enum ReplicationLimits {
    /// 256 MiB.
    public static let defaultMemory: UInt = UInt(MemoryBudget.defaultLimit)

    /// The memory, in bytes, that all connections may take together for what comes from other devices and for what waits to be sent to them. By
    /// default ``defaultMemory``.
    ///
    /// It is reserved before it is used. When nothing is left, the connection that has most is closed, with a code that lets its other side try
    /// again later. A document counts twice its size while it is received: for one of 20 MB there should be 50 MB. Takes effect at once; what is
    /// in use stays. Replications between databases of the same process do not count.
    public static var memory: UInt {
        get { UInt(MemoryBudget.shared.limit) }
        set { MemoryBudget.shared.limit = Int(clamping: newValue) }
    }
}
#endif
