#if Replication
import SyncRuntime
import Transport

/// A certificate with its private key, which identifies a listener or a client in TLS.
///
/// Identities are stored under labels as files that only the user can read, in the directory `identities` beside that of databases.
///
/// ```swift
/// let identity = try TLSIdentity.createIdentity(
///     for: [.serverAuth, .clientAuth],
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

    /// Creates an identity from PEM text: a certificate, the certificates of its issuers, and its private key. It is not stored under any
    /// label. The key must not be encrypted with a password.
    ///
    /// - Throws: `crypto` if the text contains no certificate or no usable key.
    public convenience init(pem: String) throws { self.init(try throwingPublicErrors { try TLSIdentityData(pem: pem) }) }

    /// Returns the identity that is stored under a label. Reads a file.
    ///
    /// - Returns: The identity, never `nil`.
    /// - Throws: `notFound` if there is none; `crypto` if its file is damaged.
    public static func identity(withLabel label: String) throws -> TLSIdentity? {
        TLSIdentity(try throwingPublicErrors { try IdentityFolder.identity(label: label) })
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
        TLSIdentity(try throwingPublicErrors { try IdentityFolder.identity(certificates: certs.map(\.der)) })
    }

    /// Creates a new key and a certificate for it, and stores them. Writes a file.
    ///
    /// - Parameters:
    ///   - keyUsages: What the certificate is for: listeners, clients, or both.
    ///   - attributes: The contents of the certificate, by the keys `certAttrCommonName` and so on. The common name is required.
    ///   - expiration: The expiration date; `nil` means in one year, or when the issuer expires if that is earlier.
    ///   - issuer: The certificate authority that signs the certificate, with its key; `nil`, the default, makes the certificate
    ///     self-signed. The certificates of the issuer follow the new one in ``certs``, so that peers that trust or pin the certificate of
    ///     the authority accept it. An authority is not created here: import one, or read it with ``init(pem:)``.
    ///   - label: The label, which must not be in use.
    /// - Throws: `crypto` if there is no key usage, or one that does not exist; if the common name is missing, or an attribute is unknown or
    ///   malformed; if the issuer has expired, is not a certificate authority, or does not have the key of its certificate; or if the label is in
    ///   use. An error in `NSPOSIXErrorDomain` if the file cannot be written.
    public static func createIdentity(
        for keyUsages: KeyUsages,
        attributes: [String: String],
        expiration: Date? = nil,
        issuer: TLSIdentity? = nil,
        label: String
    ) throws -> TLSIdentity {
        try throwingPublicErrors {
            let data = try TLSIdentityData.created(
                attributes: attributes,
                purposes: keyUsages.purposes,
                expiration: expiration,
                issuer: issuer?.data
            )
            return TLSIdentity(try IdentityFolder.adding(data, label: label))
        }
    }

    /// Creates a new key and a self-signed certificate for it, and stores them; see
    /// ``createIdentity(for:attributes:expiration:issuer:label:)``.
    ///
    /// - Parameters:
    ///   - server: Whether the identity is for a listener; otherwise it is for clients.
    ///   - attributes: The contents of the certificate.
    ///   - expiration: The expiration date; `nil` means in 20 years.
    ///   - label: The label, which must not be in use.
    /// - Throws: As the other function.
    @available(*, deprecated, message: "Use createIdentity(for:attributes:expiration:issuer:label:)")
    public static func createIdentity(
        forServer server: Bool,
        attributes: [String: String],
        expiration: Date? = nil,
        label: String
    ) throws -> TLSIdentity {
        try throwingPublicErrors {
            let data = try TLSIdentityData.selfSigned(attributes: attributes, isServer: server, expiration: expiration)
            return TLSIdentity(try IdentityFolder.adding(data, label: label))
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
            TLSIdentity(try IdentityFolder.adding(TLSIdentityData(pkcs12: [UInt8](data), password: password), label: label))
        }
    }

    /// Deletes the identity that is stored under a label. Does nothing if there is none.
    ///
    /// - Throws: An error in `NSPOSIXErrorDomain` if the file cannot be deleted.
    public static func deleteIdentity(withLabel label: String) throws {
        try throwingPublicErrors { try IdentityFolder.store.remove(label: label) }
    }

    /// Returns the self-signed identity of the listeners of a database; see ``AnonymousIdentity``.
    static func anonymous(of database: Database) throws -> TLSIdentity {
        TLSIdentity(try AnonymousIdentity.identity(of: database.openFile()))
    }

    /// Deletes the stored identity, regardless of its label.
    func deleteFromKeyChain() throws { try throwingPublicErrors { try IdentityFolder.store.remove(data) } }
}

/// What the certificate of a ``TLSIdentity`` is for.
///
/// Peers that validate certificates refuse one for another purpose. A device that listens and connects needs both.
public struct KeyUsages: OptionSet, Sendable {
    /// The sum of the raw values of the purposes.
    public let rawValue: UInt

    /// Creates the set of purposes whose raw values add up to `rawValue`.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// To identify a listener.
    public static let serverAuth = KeyUsages(rawValue: 0x40)
    /// To identify a client; see ``ClientCertificateAuthenticator``.
    public static let clientAuth = KeyUsages(rawValue: 0x80)

    /// The purposes of the certificate; empty if there are unknown ones.
    fileprivate var purposes: CertificatePurposes {
        guard isSubset(of: [.serverAuth, .clientAuth]) else { return [] }
        var purposes: CertificatePurposes = []
        if contains(.serverAuth) { purposes.insert(.server) }
        if contains(.clientAuth) { purposes.insert(.client) }
        return purposes
    }
}

// The keys of the attributes of ``TLSIdentity/createIdentity(for:attributes:expiration:issuer:label:)`` (API 12).

/// The key of the common name, which every certificate needs.
public let certAttrCommonName = "CN"
/// The key of a pseudonym.
public let certAttrPseudonym = "pseudonym"
/// The key of a given name.
public let certAttrGivenName = "GN"
/// The key of a surname.
public let certAttrSurname = "SN"
/// The key of the name of an organization.
public let certAttrOrganization = "O"
/// The key of the name of an organizational unit.
public let certAttrOrganizationUnit = "OU"
/// The key of a postal address.
public let certAttrPostalAddress = "postalAddress"
/// The key of a locality, such as a town.
public let certAttrLocality = "locality"
/// The key of a postal code.
public let certAttrPostalCode = "postalCode"
/// The key of a state or a province.
public let certAttrStateOrProvince = "ST"
/// The key of a country, a two-letter code.
public let certAttrCountry = "C"
/// The key of an email address. It becomes a subject alternative name, like the attributes below.
public let certAttrEmailAddress = "rfc822Name"
/// The key of a host name.
public let certAttrHostname = "dNSName"
/// The key of a URL.
public let certAttrURL = "uniformResourceIdentifier"
/// The key of an IP address.
public let certAttrIPAddress = "iPAddress"
/// The key of an object identifier, such as `1.2.3.4`.
public let certAttrRegisteredID = "registeredID"
#endif
