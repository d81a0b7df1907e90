#if Replication
package import DocumentStore
package import Foundation
import Base
import SyncCore
import Synchronization
package import Transport

/// The stored TLS identities. They are in the directory `identities` beside that of databases.
package enum IdentityFolder {
    private static let replacement = Mutex<URL?>(nil)

    /// The store of all identities. Creates no directory.
    package static var store: IdentityStore { IdentityStore(directory: replacement.withLock { $0 } ?? standard) }

    /// Stores identities in another directory.
    package static func use(_ directory: URL) { replacement.withLock { $0 = directory } }

    private static var standard: URL {
        URL(fileURLWithPath: DefaultDirectory.path, isDirectory: true)
            .deletingLastPathComponent()
            .appendingPathComponent("identities", isDirectory: true)
    }

    /// Returns the identity that is stored under a label.
    ///
    /// - Throws: ``SyncError``: LiteCore 7 (notFound) if there is none; the errors of ``IdentityStore/identity(label:)``.
    package static func identity(label: String) throws -> TLSIdentityData {
        guard let identity = try store.identity(label: label) else {
            throw SyncError(engine: .notFound, "there is no identity with the label “\(label)”")
        }
        return identity
    }

    /// Stores an identity under a label, and returns it.
    ///
    /// - Throws: The errors of ``IdentityStore/add(_:label:)``.
    package static func adding(_ identity: TLSIdentityData, label: String) throws -> TLSIdentityData {
        try store.add(identity, label: label)
        return identity
    }

    /// Returns the stored identity that has a certificate.
    ///
    /// - Parameter certificates: The encoded certificate of the identity. Any further ones replace the stored certificates of its issuers in
    ///   the result.
    /// - Throws: ``SyncError``: LiteCore 7 (notFound) if no identity with this certificate is stored; LiteCore 9 (invalidParameter) if there
    ///   is no certificate, or one cannot be read; the errors of ``IdentityStore/identity(of:)``.
    package static func identity(certificates: [[UInt8]]) throws -> TLSIdentityData {
        let given = certificates.compactMap { CertificateInfo(der: $0) }
        guard let own = given.first, given.count == certificates.count else {
            throw SyncError(engine: .invalidParameter, "no certificate is given, or one cannot be read")
        }
        guard let identity = try store.identity(of: own) else {
            throw SyncError(engine: .notFound, "there is no stored identity with the certificate")
        }
        return given.count == 1 ? identity : try TLSIdentityData(certificates: given, privateKey: identity.privateKey)
    }
}

/// The self-signed identities of listeners without a configured one: one per database, reused so that clients can pin its certificate.
package enum AnonymousIdentity {
    private static let labelPrefix = "CouchbaseLite.anonymous."

    /// Returns the identity of a database's listeners. Creates one if there is none, or if the stored one has expired.
    ///
    /// - Throws: `crypto` if the file of the stored identity is damaged.
    package static func identity(of file: DatabaseFile) throws -> TLSIdentityData {
        let id = try file.ensuredPrivateUUID()
        return try IdentityFolder.store.selfSigned(label: labelPrefix + id.hexadecimal, commonName: "CouchbaseLite")
    }

    /// Removes the identities of all databases. Their clients must then trust new certificates.
    package static func deleteAll() throws { try IdentityFolder.store.removeAll(labelPrefix: labelPrefix) }
}
#endif
