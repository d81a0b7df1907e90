#if Replication
import DocumentStore
import SyncCore
import Synchronization
import Transport

/// A certificate with its private key, which identifies a listener or a client in TLS.
///
/// Identities are stored under labels as files that only the user can read, in the directory `identities` next to the default directory of
/// databases.
///
/// ```swift
/// let identity = try TLSIdentity.createIdentity(
///     forServer: true,
///     attributes: [certAttrCommonName: "Anna's phone"],
///     label: "server"
/// )
/// ```
public final class TLSIdentity: Sendable {
    /// The certificate chain: the identity's own certificate first, then those of its issuers.
    public var certs: [SecCertificate] { data.certificates.compactMap { SecCertificate.read(der: $0.der) } }
    /// The expiration date of the identity's own certificate.
    public let expiration: Date
    let data: TLSIdentityData

    init(_ data: TLSIdentityData) {
        self.data = data
        // The array is never empty.
        expiration = data.certificates.first?.notAfter ?? .distantPast
    }

    /// Returns the identity that is stored under a label. Reads a file.
    ///
    /// - Returns: The identity, never `nil`.
    /// - Throws: `notFound` if there is none; `crypto` if its file is damaged.
    public static func identity(withLabel label: String) throws -> TLSIdentity? {
        try throwingPublicErrors {
            guard let data = try IdentityFolder.store.identity(label: label) else {
                throw SyncError(engine: .notFound, "there is no identity with the label “\(label)”")
            }
            return TLSIdentity(data)
        }
    }

    /// Returns the stored identity that has a certificate. Reads the stored identities one after the other.
    ///
    /// - Parameter certs: The identity's own certificate. Any further certificates replace the stored ones of its issuers in the returned
    ///   identity.
    /// - Returns: The identity, never `nil`.
    /// - Throws: `notFound` if no identity with this certificate is stored; `invalidParameter` if no certificate is given, or one cannot be
    ///   read; `crypto` if the file of an identity is damaged.
    /// - Complexity: O(*n*), where *n* is the number of stored identities.
    public static func identity(withCerts certs: [SecCertificate]) throws -> TLSIdentity? {
        try throwingPublicErrors {
            let given = certs.compactMap { CertificateInfo(der: $0.der) }
            guard let own = given.first, given.count == certs.count else {
                throw SyncError(engine: .invalidParameter, "no certificate is given, or one cannot be read")
            }
            guard let data = try IdentityFolder.store.identity(of: own) else {
                throw SyncError(engine: .notFound, "there is no stored identity with the certificate")
            }
            if given.count == 1 { return TLSIdentity(data) }
            return TLSIdentity(try TLSIdentityData(certificates: given, privateKey: data.privateKey))
        }
    }

    /// Creates a new key and a self-signed certificate for it, and stores them. Writes a file.
    ///
    /// - Parameters:
    ///   - server: Whether the identity is for a listener; otherwise it is for clients.
    ///   - attributes: The contents of the certificate, by the keys `certAttrCommonName` and so on. The common name is required.
    ///   - expiration: The expiration date; `nil` means in 20 years.
    ///   - label: The label, which must not be in use.
    /// - Throws: `crypto` if the common name is missing, an attribute is unknown or malformed, or the label is in use; an error in
    ///   `NSPOSIXErrorDomain` if the file cannot be written.
    public static func createIdentity(
        forServer server: Bool,
        attributes: [String: String],
        expiration: Date? = nil,
        label: String
    ) throws -> TLSIdentity {
        try throwingPublicErrors {
            let data = try TLSIdentityData.selfSigned(attributes: attributes, isServer: server, expiration: expiration)
            try IdentityFolder.store.add(data, label: label)
            return TLSIdentity(data)
        }
    }

    /// Imports an identity and stores it. Writes a file.
    ///
    /// - Parameters:
    ///   - data: The identity in PKCS#12 format.
    ///   - password: The password of the data; `nil` if it has none.
    ///   - label: The label, which must not be in use.
    /// - Throws: `crypto` if the data cannot be read, or the label is in use; an error in `NSPOSIXErrorDomain` if the file cannot be
    ///   written.
    public static func importIdentity(withData data: Data, password: String?, label: String) throws -> TLSIdentity {
        try throwingPublicErrors {
            let identity = try TLSIdentityData(pkcs12: [UInt8](data), password: password)
            try IdentityFolder.store.add(identity, label: label)
            return TLSIdentity(identity)
        }
    }

    /// Deletes the identity that is stored under a label. Does nothing if there is none.
    ///
    /// - Throws: An error in `NSPOSIXErrorDomain` if the file cannot be deleted.
    public static func deleteIdentity(withLabel label: String) throws {
        try throwingPublicErrors { try IdentityFolder.store.remove(label: label) }
    }

    /// Deletes the stored identity, regardless of its label.
    func deleteFromKeyChain() throws { try throwingPublicErrors { try IdentityFolder.store.remove(data) } }
}

/// The directory in which identities are stored.
enum IdentityFolder {
    private static let replacement = Mutex<URL?>(nil)

    static var store: IdentityStore { IdentityStore(directory: replacement.withLock { $0 } ?? standard) }

    /// Stores identities in another directory.
    static func use(_ directory: URL) { replacement.withLock { $0 = directory } }

    private static var standard: URL {
        URL(fileURLWithPath: DefaultDirectory.path, isDirectory: true)
            .deletingLastPathComponent()
            .appendingPathComponent("identities", isDirectory: true)
    }
}
#endif
