#if Replication
import Foundation
import SyncCore
import TestTraits
import Testing
import X509

@testable import Transport

@Suite("Identities that are issued by an authority", .ownThreads)
struct CreatedIdentityTests {
    private let attributes = ["CN": "Anna's phone", "dNSName": "localhost", "iPAddress": "127.0.0.1"]

    private func created(
        _ purposes: CertificatePurposes = [.server, .client],
        attributes: [String: String]? = nil,
        expiration: Date? = nil,
        issuer: TLSIdentityData? = nil
    ) throws -> TLSIdentityData {
        try TLSIdentityData.created(attributes: attributes ?? self.attributes, purposes: purposes, expiration: expiration, issuer: issuer)
    }

    @Test("an issued certificate is signed by its issuer, and the chain of the issuer follows it")
    func chain() throws {
        let root = try TestAuthority(name: "Root")
        let middle = try TestAuthority(name: "Middle", issuer: root)
        let issuer = try TLSIdentityData(certificates: [middle.certificate, root.certificate], privateKey: middle.identity.privateKey)
        let identity = try created(issuer: issuer)
        #expect(identity.certificates.count == 3)
        #expect(identity.certificates[0].commonName == "Anna's phone")
        #expect(!identity.certificates[0].isSelfSigned)
        #expect(middle.certificate.hasSigned(identity.certificates[0]))
        #expect(Array(identity.certificates[1...]) == issuer.certificates)
        let identifier = try identity.certificates[0].certificate.extensions.authorityKeyIdentifier?.keyIdentifier
        #expect(try identifier == middle.certificate.certificate.extensions.subjectKeyIdentifier?.keyIdentifier)
        #expect(identity.privateKey != issuer.privateKey)
    }

    @Test("an issued certificate is trusted by clients that trust or pin the authority, for its names only")
    func trust() async throws {
        let authority = try TestAuthority()
        let chain = try created(issuer: authority.identity).certificates.map(\.der)
        for trust in [ServerTrust.roots([authority.certificate]), .pinned(authority.certificate)] {
            #expect(await trust.failure(of: chain, host: "localhost") == nil)
            #expect(await trust.failure(of: chain, host: "127.0.0.1") == nil)
        }
        #expect(await ServerTrust.roots([authority.certificate]).failure(of: chain, host: "example.com")?.code == 15)
        let stranger = try TestAuthority()
        #expect(await ServerTrust.pinned(stranger.certificate).failure(of: chain, host: "localhost")?.code == 11)
        #expect(await ServerTrust.roots([stranger.certificate]).failure(of: chain, host: "localhost")?.code == 11)
        #expect(await ServerTrust.selfSignedOnly.failure(of: chain, host: "localhost")?.code == 8)
    }

    @Test("a certificate for clients only is not accepted as that of a server")
    func purposes() async throws {
        let authority = try TestAuthority()
        let trust = ServerTrust.roots([authority.certificate])
        for (purposes, isAccepted) in [(CertificatePurposes.client, false), (.server, true), ([.client, .server], true)] {
            let identity = try created(purposes, issuer: authority.identity)
            let failure = await trust.failure(of: identity.certificates.map(\.der), host: "localhost")
            #expect((failure == nil) == isAccepted, "\(purposes)")
            #expect(failure == nil || failure?.code == 8)
            let usage = try #require(try identity.certificates[0].certificate.extensions.extendedKeyUsage)
            #expect(usage.contains(.clientAuth) == purposes.contains(.client))
        }
    }

    @Test("a certificate is valid for one year, but by default not longer than that of its issuer")
    func expiration() throws {
        let year = try created().certificates[0].notAfter.timeIntervalSinceNow / 86_400
        #expect(365 < year && year < 366)
        let authority = try TestAuthority()
        #expect(try created(issuer: authority.identity).certificates[0].notAfter == authority.certificate.notAfter)
        let later = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 100_000).rounded())
        #expect(try created(expiration: later, issuer: authority.identity).certificates[0].notAfter == later)
    }

    @Test("what is no authority, has expired, or lacks the key of its certificate issues nothing")
    func issuers() throws {
        let authority = try TestAuthority()
        let signer = try TestAuthority(usage: KeyUsage(digitalSignature: true))
        let strange = try TLSIdentityData(certificates: [authority.certificate], privateKey: signer.identity.privateKey)
        let refused: [(TLSIdentityData, String)] = [
            (try created(issuer: authority.identity), "is not a certificate authority"),
            (try created(), "is not a certificate authority"),
            (try TestAuthority(age: 20_000).identity, "has expired"),
            (try TestAuthority(age: -3600).identity, "not valid yet"),
            (try signer.identity, "does not include signing certificates"),
            (strange, "not that of its certificate"),
        ]
        for (issuer, reason) in refused {
            let error = #expect(throws: SyncError.self) { try created(issuer: issuer) }
            #expect(error?.domain == .liteCore && error?.code == 22)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        }
        let certifying = try TestAuthority(usage: KeyUsage(keyCertSign: true))
        #expect(try created(issuer: certifying.identity).certificates.count == 2)
    }

    @Test("a certificate without a purpose, with invalid attributes or with an impossible date is not created")
    func invalid() {
        let dates = [Double.nan, .infinity, -.infinity, -1e30, 0, 1e12, 1e300].map(Date.init(timeIntervalSince1970:))
        let attempts: [() throws -> TLSIdentityData] =
            [
                { try created([]) }, { try created(attributes: [:]) }, { try created(attributes: ["CN": "x", "C": "GER"]) },
                { try created(attributes: ["CN": "x", "hostname": "y"]) },
            ] + dates.map { date in { try created(expiration: date) } }
        for attempt in attempts {
            let error = #expect(throws: SyncError.self) { try attempt() }
            #expect(error?.domain == .liteCore && error?.code == 22)
        }
    }
}
#endif
