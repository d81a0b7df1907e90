#if Replication
import BLIP

/// The limits that all replicators and listeners of the process share.
public enum ReplicationLimits {
    /// The default memory limit: 256 MiB, in bytes.
    public static let defaultMemory: UInt = UInt(MemoryBudget.defaultLimit)

    /// The most memory, in bytes, that all connections may use together for data received from other devices and data queued for sending.
    /// By default ``defaultMemory``.
    ///
    /// Memory is reserved before it is used. When the limit is reached, the connection that uses the most is closed with a code that lets
    /// the other side retry later. A document counts twice its size while it is received: one of 20 MB needs about 50 MB. A new value takes
    /// effect immediately, but memory in use is not released. Replication between databases of the same process does not count.
    public static var memory: UInt {
        get { UInt(MemoryBudget.shared.limit) }
        set { MemoryBudget.shared.limit = Int(clamping: newValue) }
    }
}
#endif
