#if Replication
/// The directions of a replication.
public enum ReplicatorType: UInt8, Sendable {
    /// Documents are pushed and pulled.
    case pushAndPull = 0
    /// Documents are sent from the database to the target.
    case push
    /// Documents are fetched from the target into the database.
    case pull

    var pushes: Bool { self != .pull }
    var pulls: Bool { self != .push }
}
#endif
