#if Replication
import Replication
import Transport

/// The certificates that listeners make for themselves: one for each database, which is used again, so that clients can pin it.
enum AnonymousIdentity {
    private static let labelPrefix = "CouchbaseLite.anonymous."

    /// The identity of a database's listeners. One that has expired gives way to a new one.
    static func identity(of database: Database) throws -> TLSIdentity {
        let store = IdentityFolder.store
        let id = try ReplicaDatabase(database.openFile()).privateUUID()
        let label = labelPrefix + id.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        if let kept = try store.identity(label: label) {
            let identity = TLSIdentity(kept)
            if identity.expiration > Date() { return identity }
            try store.remove(label: label)
        }
        let made = try TLSIdentityData.selfSigned(attributes: [certAttrCommonName: "CouchbaseLite"], isServer: true)
        try store.add(made, label: label)
        return TLSIdentity(made)
    }

    static func deleteAll() throws {
        try IdentityFolder.store.removeAll(labelPrefix: labelPrefix)
    }
}
#endif
