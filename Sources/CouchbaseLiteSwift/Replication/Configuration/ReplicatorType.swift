#if Replication
/// In which directions documents go.
public enum ReplicatorType: UInt8, Sendable {
    /// Both ways.
    case pushAndPull = 0
    /// From the database to the target.
    case push
    /// From the target to the database.
    case pull

    var pushes: Bool { self != .pull }
    var pulls: Bool { self != .push }
}
#endif
