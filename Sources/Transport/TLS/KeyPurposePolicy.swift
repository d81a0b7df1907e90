#if Replication
import SwiftASN1
import X509

/// Refuses certificates that say they are for something else (RFC 5280, 4.2.1.12).
struct KeyPurposePolicy: VerifierPolicy {
    let purpose: ExtendedKeyUsage.Usage

    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] { [.X509ExtensionID.extendedKeyUsage] }

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard let usage = try? chain.leaf.extensions.extendedKeyUsage else { return .meetsPolicy }
        return usage.contains(purpose) || usage.contains(.any)
            ? .meetsPolicy : .failsToMeetPolicy(reason: "the certificate is for another purpose")
    }
}

/// Lets extensions of a certificate say what they will, although they are critical.
struct IgnoringPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier]

    /// Whom the certificate is for does not matter: for peers without names, and for finding out what else is wrong.
    static let anyName = IgnoringPolicy(verifyingCriticalExtensions: [.X509ExtensionID.subjectAlternativeName])
    /// What the certificate may issue does not matter, since it is trusted itself.
    static let noIssuer = IgnoringPolicy(verifyingCriticalExtensions: [
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.nameConstraints,
    ])

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        .meetsPolicy
    }
}
#endif
