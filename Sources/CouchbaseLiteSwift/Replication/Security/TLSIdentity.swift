#if Replication
import SyncCore
import Transport

/// A certificate with its private key: who a listener, or a client, is to the other side.
///
/// Identities are kept under labels as files that only the user can read, in the directory `identities` beside the default
/// directory of databases.
///
/// ```swift
/// let identity = try TLSIdentity.createIdentity(
///     forServer: true,
///     attributes: [certAttrCommonName: "Anna's phone"],
///     label: "server"
/// )
/// ```
public class TLSIdentity: @unchecked Sendable {
    // Unchecked because the class is open to the module's own subclasses; its properties are constants.
    /// The certificates, its own first, then those that vouch for it.
    public let certs: [SecCertificate]
    /// When its own certificate expires.
    public let expiration: Date
    let data: TLSIdentityData

    init(_ data: TLSIdentityData) {
        self.data = data
        certs = data.certificates.compactMap { SecCertificate.read(der: $0.der) }
        // There is always one.
        expiration = data.certificates.first?.notAfter ?? .distantPast
    }

    /// The identity that is kept under a label.
    ///
    /// - Throws: `notFound` when there is none; `crypto` when its file is damaged.
    public static func identity(withLabel label: String) throws -> TLSIdentity? {
        try throwingPublicErrors {
            guard let data = try IdentityFolder.store.identity(label: label) else {
                throw SyncError(.liteCore, CBLError.notFound, "there is no identity with the label “\(label)”")
            }
            return TLSIdentity(data)
        }
    }

    /// The identity that is kept for a certificate.
    ///
    /// - Parameter certs: Its certificate, and then those that vouch for it, if it is to show them.
    /// - Throws: `notFound` when there is none; `invalidParameter` when no certificate is given.
    public static func identity(withCerts certs: [SecCertificate]) throws -> TLSIdentity? {
        try throwingPublicErrors {
            let given = certs.compactMap { CertificateInfo(der: $0.der) }
            guard let own = given.first, given.count == certs.count else {
                throw SyncError(.liteCore, CBLError.invalidParameter, "an identity has at least one certificate")
            }
            guard let data = try IdentityFolder.store.identity(of: own) else {
                throw SyncError(.liteCore, CBLError.notFound, "the key of the certificate is not here")
            }
            if given.count == 1 { return TLSIdentity(data) }
            return TLSIdentity(try TLSIdentityData(certificates: given, privateKey: data.privateKey))
        }
    }

    /// Makes a new key, and a certificate for it that is signed with itself, and keeps them.
    ///
    /// - Parameters:
    ///   - server: Whether it is for a listener; otherwise it is for clients.
    ///   - attributes: What the certificate says, by the names `certAttrCommonName` and so on. The common name is needed.
    ///   - expiration: When it expires; nil is in 20 years.
    ///   - label: The label, which must be new.
    /// - Throws: `crypto` when the common name is missing, an attribute is malformed, or there is an identity with that label.
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

    /// Keeps an identity that was made elsewhere.
    ///
    /// - Parameters:
    ///   - data: The identity, in the form PKCS#12.
    ///   - password: What that is encrypted with; nil for nothing.
    ///   - label: The label, which must be new.
    /// - Throws: `crypto` when it cannot be read, or there is an identity with that label.
    public static func importIdentity(withData data: Data, password: String?, label: String) throws -> TLSIdentity {
        try throwingPublicErrors {
            let identity = try TLSIdentityData(pkcs12: [UInt8](data), password: password)
            try IdentityFolder.store.add(identity, label: label)
            return TLSIdentity(identity)
        }
    }

    /// Forgets the identity that is kept under a label, if there is one.
    public static func deleteIdentity(withLabel label: String) throws {
        try throwingPublicErrors { try IdentityFolder.store.remove(label: label) }
    }

    /// Forgets the identity, whatever its label.
    func deleteFromKeyChain() throws {
        try throwingPublicErrors { try IdentityFolder.store.remove(data) }
    }
}

/// Where identities are kept.
enum IdentityFolder {
    // Guarded by the lock; tests set it once.
    nonisolated(unsafe) private static var replacement: URL?
    private static let lock = NSLock()

    static var store: IdentityStore {
        IdentityStore(directory: lock.withLock { replacement } ?? standard)
    }

    /// Has identities be kept elsewhere.
    static func use(_ directory: URL) {
        lock.withLock { replacement = directory }
    }

    private static var standard: URL {
        URL(fileURLWithPath: DefaultDirectory.path, isDirectory: true)
            .deletingLastPathComponent()
            .appendingPathComponent("identities", isDirectory: true)
    }
}
#endif
