#if Replication
package import Foundation
import NIOCore
import SwiftASN1
package import SyncCore
import X509

#if canImport(Security)
import Security
#endif

/// The rule by which a client accepts a server's certificate (Replication 1.5).
package enum ServerTrust: Sendable {
    /// Trusts certificates for the host that are issued by an authority the system trusts.
    case system
    /// Like ``system``, but with these authorities instead of the system's.
    case roots([CertificateInfo])
    /// Trusts this leaf certificate, and leaf certificates signed by it, directly or through other certificates, if the server includes it
    /// in its chain. Dates, names and purposes are not checked.
    case pinned(CertificateInfo)
    /// Trusts self-signed leaf certificates, as used by other devices. Names are not checked.
    case selfSignedOnly

    /// Creates the rule from the settings of an app. In the order of precedence: the pinned certificate, self-signed certificates, the
    /// roots.
    ///
    /// - Parameters:
    ///   - pin: The pinned certificate in DER form.
    ///   - roots: The root certificates in DER form. If empty, the system's authorities are trusted.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), if a certificate cannot be parsed. Ignoring it would make the client trust other
    ///   certificates than the app intends.
    package init(pinned pin: [UInt8]?, selfSignedOnly: Bool, roots: [[UInt8]]) throws(SyncError) {
        if let pin {
            self = .pinned(try CertificateInfo.all([pin], "the pinned certificate")[0])
        } else if selfSignedOnly {
            self = .selfSignedOnly
        } else if roots.isEmpty {
            self = .system
        } else {
            self = .roots(try CertificateInfo.all(roots, "a trusted root certificate"))
        }
    }

    /// Validates a server's certificates.
    ///
    /// - Parameters:
    ///   - chain: The server's certificates in DER form, the leaf first.
    ///   - host: The host name or IP address of the server.
    ///   - time: The current time.
    /// - Returns: The first error, in the order of Replication 1.5: network 7 (expired), 8 (untrusted), 11 (unknown root) or 15 (issued for
    ///   another host). `nil` if the certificates are trusted.
    package func failure(of chain: [[UInt8]], host: String, at time: Date = Date()) async -> SyncError? {
        if case .pinned(let pin) = self {
            return Self.isPinned(pin, chain) ? nil : Self.unknownRoot("the server's certificate is not the pinned one")
        }
        guard let certificates = CertificateInfo.chain(chain), let leaf = certificates.first else {
            return Self.untrusted("the server's certificates cannot be parsed, or there are too many")
        }
        switch self {
        case .system: return await SystemRoots.failure(of: certificates, host: host, at: time)
        case .roots(let roots):
            if roots.contains(leaf) { return await Self.failure(ofTrusted: leaf, host: host, at: time) }
            let store = CertificateStore(roots.map(\.certificate))
            return await Self.failure(of: certificates, roots: store, host: host, at: time)
        case .selfSignedOnly:
            guard leaf.isSelfSigned else { return Self.untrusted("the server's certificate is not self-signed") }
            return leaf.isExpired(at: time) ? Self.expired : nil
        case .pinned: return nil
        }
    }

    /// Returns whether the leaf of a chain is the pinned certificate, or is signed by it, directly or through other certificates of the
    /// chain. The signatures are verified, because anyone can include the pinned certificate in a chain.
    private static func isPinned(_ pin: CertificateInfo, _ chain: [[UInt8]]) -> Bool {
        if chain.first == pin.der { return true }
        guard let certificates = CertificateInfo.chain(chain), certificates.contains(pin) else { return false }
        var reached = [certificates[0]]
        var others = Set(certificates.dropFirst())
        while let certificate = reached.popLast() {
            let issuers = others.filter { $0.hasSigned(certificate) }
            if issuers.contains(pin) { return true }
            reached += issuers
            others.subtract(issuers)
        }
        return false
    }

    /// Validates a chain by the rules of RFC 5280.
    static func failure(of chain: [CertificateInfo], roots: CertificateStore, host: String, at time: Date) async -> SyncError? {
        if case .validCertificate = await validate(chain, roots: roots, purpose: .serverAuth, names: namePolicy(host)) { return nil }
        switch await validate(chain, roots: roots, purpose: .serverAuth, names: IgnoringPolicy.anyName) {
        case .validCertificate: return nameMismatch(host)
        case .couldNotValidate(let failures):
            // No path to a root exists.
            guard let failure = failures.first else { return unknownRoot("the server's certificate is not issued by a trusted authority") }
            if chain.contains(where: { $0.isExpired(at: time) }) { return expired }
            return untrusted("the server's certificate is rejected: \(failure.policyFailureReason)")
        }
    }

    static func validate(
        _ chain: [CertificateInfo],
        roots: CertificateStore,
        purpose: ExtendedKeyUsage.Usage,
        names: some VerifierPolicy & Sendable
    ) async -> CertificateValidationResult {
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy()
            KeyPurposePolicy(purpose: purpose)
            names
        }
        let others = CertificateStore(chain.dropFirst().map(\.certificate))
        return await verifier.validate(leaf: chain[0].certificate, intermediates: others)
    }

    /// Validates a leaf certificate that is a trusted root itself.
    private static func failure(ofTrusted leaf: CertificateInfo, host: String, at time: Date) async -> SyncError? {
        if leaf.isExpired(at: time) { return expired }
        var verifier = Verifier(rootCertificates: CertificateStore([leaf.certificate])) {
            IgnoringPolicy.noIssuer
            KeyPurposePolicy(purpose: .serverAuth)
            namePolicy(host)
        }
        switch await verifier.validate(leaf: leaf.certificate, intermediates: CertificateStore()) {
        case .validCertificate: return nil
        case .couldNotValidate: return nameMismatch(host)
        }
    }

    private static func namePolicy(_ host: String) -> ServerIdentityPolicy {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return ServerIdentityPolicy(serverHostname: isAddress ? nil : host, serverIP: isAddress ? host : nil)
    }

    private static func nameMismatch(_ host: String) -> SyncError {
        SyncError(network: .certificateNameMismatch, "the server's certificate is not for “\(host)”")
    }

    static let expired = SyncError(network: .tlsCertExpired, "the server's certificate has expired")

    static func untrusted(_ why: String) -> SyncError { SyncError(network: .tlsCertUntrusted, why) }

    static func unknownRoot(_ why: String) -> SyncError { SyncError(network: .tlsCertUnknownRoot, why) }
}

/// Rejects certificates whose extended key usage does not include the purpose (RFC 5280, 4.2.1.12).
struct KeyPurposePolicy: VerifierPolicy {
    let purpose: ExtendedKeyUsage.Usage

    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] { [.X509ExtensionID.extendedKeyUsage] }

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard let usage = try? chain.leaf.extensions.extendedKeyUsage else { return .meetsPolicy }
        return usage.contains(purpose) || usage.contains(.any)
            ? .meetsPolicy : .failsToMeetPolicy(reason: "the certificate is issued for another purpose")
    }
}

/// Accepts certificates with the given critical extensions without checking the extensions.
struct IgnoringPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier]

    /// Ignores the names of the certificate. Used for peers without host names, and to find out whether anything else is wrong.
    static let anyName = IgnoringPolicy(verifyingCriticalExtensions: [.X509ExtensionID.subjectAlternativeName])
    /// Ignores what the certificate may issue, because the certificate itself is trusted.
    static let noIssuer = IgnoringPolicy(verifyingCriticalExtensions: [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.nameConstraints,
    ])

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult { .meetsPolicy }
}

/// The certificate authorities that the operating system trusts.
enum SystemRoots {
    /// Validates a chain with the system's authorities, see ``ServerTrust/failure(of:host:at:)``.
    static func failure(of chain: [CertificateInfo], host: String, at time: Date) async -> SyncError? {
        #if canImport(Security)
        let certificates = chain.compactMap { SecCertificateCreateWithData(nil, Data($0.der) as CFData) }
        var trust: SecTrust?
        let policy = SecPolicyCreateSSL(true, host as CFString)
        guard SecTrustCreateWithCertificates(certificates as CFArray, policy, &trust) == errSecSuccess,
            let trust
        else { return ServerTrust.untrusted("the server's certificates cannot be validated") }
        var error: CFError?
        if SecTrustEvaluateWithError(trust, &error) { return nil }
        switch error.map({ CFErrorGetCode($0) }) ?? 0 {
        case Int(errSecCertificateExpired), Int(errSecCertificateNotValidYet): return ServerTrust.expired
        case Int(errSecHostNameMismatch):
            return SyncError(network: .certificateNameMismatch, "the server's certificate is not for “\(host)”")
        case Int(errSecNotTrusted), Int(errSecCreateChainFailed):
            return ServerTrust.unknownRoot("the server's certificate is not issued by a trusted authority")
        default: return ServerTrust.untrusted("the server's certificate is rejected by the system")
        }
        #else
        return await ServerTrust.failure(of: chain, roots: CertificateStore.systemTrustRoots, host: host, at: time)
        #endif
    }
}
#endif
