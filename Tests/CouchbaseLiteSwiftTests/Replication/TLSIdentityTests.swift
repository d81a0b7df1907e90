#if Replication
    import Foundation
    import TestSupport
    import TestTraits
    import Testing

    @testable import CouchbaseLiteSwift

    /// Has identities be kept in a directory of the tests, once.
    enum TestIdentities {
        static let directory: URL = {
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
                "identities-\(UUID().uuidString)"
            )
            IdentityFolder.use(directory)
            return directory
        }()
    }

    @Suite("TLS identities", .ownThreads, .serialized)
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

        @Test("are kept under their labels")
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

        @Test("expire when they are told to")
        func expiration() throws {
            let tomorrow = Date(timeIntervalSinceNow: 24 * 3600)
            let identity = try create(expiration: tomorrow)
            #expect(abs(identity.expiration.timeIntervalSince(tomorrow)) < 2)
            try identity.deleteFromKeyChain()
            #expect(thrown { _ = try TLSIdentity.identity(withLabel: label) } == .notFound)
        }

        @Test("need a common name")
        func commonName() {
            let code = thrown {
                _ = try TLSIdentity.createIdentity(forServer: true, attributes: [certAttrCountry: "CH"], label: label)
            }
            #expect(code == .couchbaseLite(CBLError.crypto))
        }

        @Test("are found by their certificates")
        func byCertificate() throws {
            let made = try create()
            let found = try #require(try TLSIdentity.identity(withCerts: made.certs))
            #expect(found.data == made.data)
            try made.deleteFromKeyChain()
            #expect(thrown { _ = try TLSIdentity.identity(withCerts: made.certs) } == .notFound)
            #expect(thrown { _ = try TLSIdentity.identity(withCerts: []) } == .invalidParameter)
        }

        @Test("that are no PKCS#12 are not imported")
        func badImport() {
            let code = thrown {
                _ = try TLSIdentity.importIdentity(withData: Data([1, 2]), password: "x", label: label)
            }
            #expect(code == .couchbaseLite(CBLError.crypto))
        }

        @Test("of listeners are one for each database, made once until they are forgotten")
        func anonymous() throws {
            let folder = try DatabaseFolder()
            let (first, second) = (try folder.open("a"), try folder.open("b"))
            let identity = try AnonymousIdentity.identity(of: first)
            #expect(try AnonymousIdentity.identity(of: first).data == identity.data)
            #expect(try AnonymousIdentity.identity(of: second).data != identity.data)
            let other = try create()
            try URLEndpointListener.deleteAnonymousIdentities()
            #expect(try AnonymousIdentity.identity(of: first).data != identity.data)
            #expect(try TLSIdentity.identity(withLabel: label) != nil)
            try other.deleteFromKeyChain()
        }

        @Test("have certificates that can be read from their bytes, in the ways of Apple's framework")
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
