#if Replication
import Foundation
import SyncRuntime
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

/// Sets a directory of the tests as the directory of identities, once.
enum TestIdentities {
    static let directory: URL = {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("identities-\(UUID().uuidString)")
        IdentityFolder.use(directory)
        return directory
    }()
}

@Suite("TLS identities", .urgentOnOwnThreads, .serialized)
struct TLSIdentityTests {
    private let label = "test \(UUID().uuidString)"

    init() {
        _ = TestIdentities.directory
    }

    private func create(expiration: Date? = nil) throws -> TLSIdentity {
        try TLSIdentity.createIdentity(
            forServer: true,
            attributes: [certAttrCommonName: "Anna's phone", certAttrHostname: "anna.local"],
            expiration: expiration,
            label: label
        )
    }

    @Test("a TLS identity is stored under its label until it is deleted")
    func keeping() throws {
        let made = try create()
        #expect(made.certs.count == 1)
        let kept = try #require(try TLSIdentity.identity(withLabel: label))
        #expect(kept.certs.map(SecCertificateCopyData) == made.certs.map(SecCertificateCopyData))
        let years = made.expiration.timeIntervalSinceNow / (365.25 * 24 * 3600)
        #expect(19.9 < years && years < 20.1)
        #expect(thrown { _ = try create() } == .couchbaseLite(CBLError.crypto))
        try TLSIdentity.deleteIdentity(withLabel: label)
        #expect(thrown { _ = try TLSIdentity.identity(withLabel: label) } == .notFound)
        try TLSIdentity.deleteIdentity(withLabel: label)
    }

    @Test("a TLS identity has the given expiration date")
    func expiration() throws {
        let tomorrow = Date(timeIntervalSinceNow: 24 * 3600)
        let identity = try create(expiration: tomorrow)
        #expect(abs(identity.expiration.timeIntervalSince(tomorrow)) < 2)
        try identity.deleteFromKeyChain()
        #expect(thrown { _ = try TLSIdentity.identity(withLabel: label) } == .notFound)
    }

    @Test("a TLS identity needs a common name")
    func commonName() {
        let code = thrown {
            _ = try TLSIdentity.createIdentity(forServer: true, attributes: [certAttrCountry: "CH"], label: label)
        }
        #expect(code == .couchbaseLite(CBLError.crypto))
    }

    @Test("a stored TLS identity is found by its certificates")
    func byCertificate() throws {
        let made = try create()
        let found = try #require(try TLSIdentity.identity(withCerts: made.certs))
        #expect(found.data == made.data)
        try made.deleteFromKeyChain()
        #expect(thrown { _ = try TLSIdentity.identity(withCerts: made.certs) } == .notFound)
        #expect(thrown { _ = try TLSIdentity.identity(withCerts: []) } == .invalidParameter)
    }

    @Test("importing data that is not PKCS#12 throws an error")
    func badImport() {
        let code = thrown {
            _ = try TLSIdentity.importIdentity(withData: Data([1, 2]), password: "x", label: label)
        }
        #expect(code == .couchbaseLite(CBLError.crypto))
    }

    @Test("each database has its own anonymous identity, kept until the anonymous identities are deleted")
    func anonymous() throws {
        let folder = try DatabaseFolder()
        let (first, second) = (try folder.open("a"), try folder.open("b"))
        let identity = try TLSIdentity.anonymous(of: first)
        #expect(try TLSIdentity.anonymous(of: first).data == identity.data)
        #expect(try TLSIdentity.anonymous(of: second).data != identity.data)
        let other = try create()
        try URLEndpointListener.deleteAnonymousIdentities()
        #expect(try TLSIdentity.anonymous(of: first).data != identity.data)
        #expect(try TLSIdentity.identity(withLabel: label) != nil)
        try other.deleteFromKeyChain()
    }

    @Test("listeners of a database that start at the same time get the same anonymous identity")
    func concurrentAnonymous() async throws {
        let folder = try DatabaseFolder()
        let database = try folder.open()
        let identities = try await withThrowingTaskGroup(of: TLSIdentity.self) { group in
            for _ in 0..<8 { group.addTask { try TLSIdentity.anonymous(of: database) } }
            var found: [TLSIdentity] = []
            for try await identity in group { found.append(identity) }
            return found
        }
        #expect(identities.count == 8)
        #expect(identities.allSatisfy { $0.data == identities[0].data })
    }

    @Test("certificates can be created from their bytes with functions named as in Apple's Security framework")
    func certificates() throws {
        let identity = try create()
        defer { try? identity.deleteFromKeyChain() }
        let certificate = try #require(identity.certs.first)
        let data = SecCertificateCopyData(certificate) as Data
        #if !canImport(Security)
        #expect(certificate.commonName == "Anna's phone")
        #expect(SecCertificateCreateWithData(nil, data) == certificate)
        #expect(SecCertificateCreateWithData(nil, NSData(data: data)) == certificate)
        #expect(SecCertificate(data: data)?.hashValue == certificate.hashValue)
        #expect(SecCertificateCreateWithData(nil, data.dropLast()) == nil)
        var name: String?
        #expect(SecCertificateCopyCommonName(certificate, &name) == errSecSuccess)
        #expect(name == "Anna's phone")
        #endif
    }
}
#endif
