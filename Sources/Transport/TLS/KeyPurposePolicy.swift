#if Replication
import SwiftASN1
import X509

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

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        .meetsPolicy
    }
}
#endif
