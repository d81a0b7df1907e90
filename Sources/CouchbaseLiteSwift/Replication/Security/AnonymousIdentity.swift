#if Replication
import Replication
import Transport

/// The self-signed identities of listeners without a configured one: one per database, which is reused so that clients can pin its
/// certificate.
enum AnonymousIdentity {
    private static let labelPrefix = "CouchbaseLite.anonymous."

    /// Returns the identity of a database's listeners. Creates one if there is none, or if the stored one has expired.
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
