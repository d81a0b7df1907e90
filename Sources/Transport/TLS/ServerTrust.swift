#if Replication
package import SyncCore
package import Foundation
import NIOCore
import X509

/// Which servers a client believes to be who they say they are (Replication 1.5).
package enum ServerTrust: Sendable {
    /// Those with a certificate for the host, from an authority that the system trusts.
    case system
    /// The same with these authorities instead.
    case roots([CertificateInfo])
    /// One whose own certificate is this; or that has been signed by this one, directly or through others, if the server shows it in its
    /// chain. Nothing else is looked at: neither dates nor names nor purposes.
    case pinned(CertificateInfo)
    /// Those whose own certificate is signed by itself: other devices. Names do not matter.
    case selfSignedOnly

    /// What an app wants, in the order in which it counts: the pinned certificate, the self-signed ones, the authorities in place of the
    /// system's.
    ///
    /// - Parameters:
    ///   - pin: DER.
    ///   - roots: DER; the system's authorities are trusted when there are none.
    /// - Throws: ``SyncError``, LiteCore 22 (crypto), for a certificate that cannot be read: to trust somebody else in its place would be the
    ///   opposite of what is wanted.
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

    /// More certificates than this are not looked at: no honest chain is as long.
    private static let maximumChainLength = 10

    /// Judges a server's certificates.
    ///
    /// - Parameters:
    ///   - chain: The server's certificates, DER, its own first.
    ///   - host: The name or the address that was connected to.
    ///   - time: Now.
    /// - Returns: What is wrong with them: network 7 (expired), 8 (untrusted), 11 (unknown root) or 15 (for another host); nil when they are fine.
    ///   The first thing that is wrong decides, in the order of Replication 1.5.
    package func failure(of chain: [[UInt8]], host: String, at time: Date = Date()) async -> SyncError? {
        if case .pinned(let pin) = self {
            return Self.isPinned(pin, chain)
                ? nil : Self.unknownRoot("the server's certificate is not the pinned one")
        }
        let certificates = chain.prefix(Self.maximumChainLength).compactMap { CertificateInfo(der: $0) }
        guard let leaf = certificates.first, certificates.count == chain.count else {
            return Self.untrusted("the server's certificates cannot be read, or are too many")
        }
        switch self {
        case .system:
            return await SystemRoots.failure(of: certificates, host: host, at: time)
        case .roots(let roots):
            if roots.contains(leaf) { return await Self.failure(ofTrusted: leaf, host: host, at: time) }
            let store = CertificateStore(roots.map(\.certificate))
            return await Self.failure(of: certificates, roots: store, host: host, at: time)
        case .selfSignedOnly:
            guard leaf.isSelfSigned else { return Self.untrusted("the server's certificate is not signed by itself") }
            return leaf.isExpired(at: time) ? Self.expired : nil
        case .pinned:
            return nil
        }
    }

    /// Whether the leaf of a chain is the pinned certificate, or has been signed by it: directly, or through others of the chain. That a
    /// certificate is just shown proves nothing.
    private static func isPinned(_ pin: CertificateInfo, _ chain: [[UInt8]]) -> Bool {
        if chain.first == pin.der { return true }
        let certificates = chain.prefix(maximumChainLength).compactMap { CertificateInfo(der: $0) }
        guard certificates.count == chain.count, certificates.contains(pin) else { return false }
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

    /// Judges a chain by the rules of RFC 5280.
    ///
    /// - Parameters:
    ///   - host: Nil when any will do.
    static func failure(of chain: [CertificateInfo], roots: CertificateStore, host: String?, at time: Date) async -> SyncError? {
        let leaf = chain[0].certificate
        let others = CertificateStore(chain.dropFirst().map(\.certificate))
        if let host {
            var verifier = Verifier(rootCertificates: roots) {
                RFC5280Policy()
                KeyPurposePolicy(purpose: .serverAuth)
                namePolicy(host)
            }
            if case .validCertificate = await verifier.validate(leaf: leaf, intermediates: others) { return nil }
        }
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy()
            KeyPurposePolicy(purpose: .serverAuth)
            IgnoringPolicy.anyName
        }
        switch await verifier.validate(leaf: leaf, intermediates: others) {
        case .validCertificate:
            return host.map(nameMismatch)
        case .couldNotValidate(let failures):
            // There is no way to a root at all.
            guard let failure = failures.first else { return unknownRoot("the server's certificate is from no authority that is trusted") }
            if chain.contains(where: { $0.isExpired(at: time) }) { return expired }
            return untrusted("the server's certificate is refused: \(failure.policyFailureReason)")
        }
    }

    /// Judges a certificate that is trusted by itself.
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

    static let expired = SyncError(network: .certificateExpired, "the server's certificate has expired")

    static func untrusted(_ why: String) -> SyncError {
        SyncError(network: .certificateUntrusted, why)
    }

    static func unknownRoot(_ why: String) -> SyncError {
        SyncError(network: .certificateUnknownRoot, why)
    }
}
#endif
