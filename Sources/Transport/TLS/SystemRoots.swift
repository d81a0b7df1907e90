#if Replication
import SyncCore
import Foundation
import X509

#if canImport(Security)
import Security
#endif

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
