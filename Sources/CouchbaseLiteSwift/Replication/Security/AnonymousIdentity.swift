#if Replication
import DocumentStore
import ExactStrings
import Transport

/// The self-signed identities of listeners without a configured one: one per database, which is reused so that clients can pin its
/// certificate.
enum AnonymousIdentity {
    private static let labelPrefix = "CouchbaseLite.anonymous."

    /// Returns the identity of a database's listeners. Creates one if there is none, or if the stored one has expired.
    ///
    /// - Throws: `crypto` if the file of the stored identity is damaged.
    static func identity(of database: Database) throws -> TLSIdentity {
        let id = try database.openFile().ensuredPrivateUUID()
        return TLSIdentity(try IdentityFolder.store.selfSigned(label: labelPrefix + id.hexadecimal, commonName: "CouchbaseLite"))
    }

    static func deleteAll() throws { try IdentityFolder.store.removeAll(labelPrefix: labelPrefix) }
}
#endif
