#if Replication
import Foundation
import SyncCore
import Synchronization

extension IdentityStore {
    /// Held while an expired identity is replaced, so that two listeners do not replace it one after the other.
    private static let lock = Mutex(())

    /// Returns the self-signed identity of a server that is stored under a label. Creates one if there is none, or if it has expired.
    ///
    /// - Throws: LiteCore 22 (crypto) if the file of the stored identity is damaged. It is not replaced, because clients may have pinned its
    ///   certificate.
    package func selfSigned(label: String, commonName: String) throws -> TLSIdentityData {
        try Self.lock.withLock { _ in
            if let stored = try identity(label: label) {
                if let expiration = stored.certificates.first?.notAfter, expiration > Date() { return stored }
                try remove(label: label)
            }
            let made = try TLSIdentityData.selfSigned(attributes: ["CN": commonName], isServer: true)
            do throws(SyncError) {
                try add(made, label: label)
                return made
            } catch {
                // Another process may have stored an identity since.
                guard error.isEngine(.crypto), let stored = try identity(label: label) else { throw error }
                return stored
            }
        }
    }
}
#endif
