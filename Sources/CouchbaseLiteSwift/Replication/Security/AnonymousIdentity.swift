#if Replication
import DocumentStore
import ExactStrings
import SyncCore
import Synchronization
import Transport

/// The self-signed identities of listeners without a configured one: one per database, which is reused so that clients can pin its
/// certificate.
enum AnonymousIdentity {
    private static let labelPrefix = "CouchbaseLite.anonymous."

    /// Returns the identity of a database's listeners. Creates one if there is none, or if the stored one has expired.
    ///
    /// - Throws: `crypto` if the file of the stored identity is damaged. It is not replaced, because clients may have pinned its certificate.
    static func identity(of database: Database) throws -> TLSIdentity {
        try lock.withLock { _ in try storedIdentity(of: database) }
    }

    /// Held while an expired identity is replaced, so that two listeners do not replace it one after the other.
    private static let lock = Mutex(())

    private static func storedIdentity(of database: Database) throws -> TLSIdentity {
        let store = IdentityFolder.store
        let id = try database.openFile().ensuredPrivateUUID()
        let label = labelPrefix + id.hexadecimal
        if let kept = try store.identity(label: label) {
            let identity = TLSIdentity(kept)
            if identity.expiration > Date() { return identity }
            try store.remove(label: label)
        }
        let made = try TLSIdentityData.selfSigned(attributes: [certAttrCommonName: "CouchbaseLite"], isServer: true)
        do throws(SyncError) {
            try store.add(made, label: label)
            return TLSIdentity(made)
        } catch {
            // Another process may have stored an identity since.
            guard error.domain == .liteCore, error.code == CBLError.crypto, let stored = try store.identity(label: label) else {
                throw error
            }
            return TLSIdentity(stored)
        }
    }

    static func deleteAll() throws { try IdentityFolder.store.removeAll(labelPrefix: labelPrefix) }
}
#endif
