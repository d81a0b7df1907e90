#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("TLS identities of an authority", .ownThreads)
struct IssuedIdentityTests {
    private let label = "issued \(UUID().uuidString)"
    private let authority: TLSIdentity

    init() throws {
        _ = TestIdentities.directory
        authority = try TLSIdentity(pem: TestCertificateAuthority.valid)
    }

    private func create(
        _ usages: KeyUsages = [.serverAuth, .clientAuth],
        _ attributes: [String: String] = [certAttrCommonName: "Anna's phone", certAttrHostname: "localhost"],
        expiration: Date? = nil,
        issuer: TLSIdentity?,
        label: String? = nil
    ) throws -> TLSIdentity {
        try TLSIdentity.createIdentity(
            for: usages,
            attributes: attributes,
            expiration: expiration,
            issuer: issuer,
            label: label ?? self.label
        )
    }

    @Test("an issued identity is stored with the chain of its issuer")
    func storing() throws {
        let made = try create(issuer: authority)
        defer { try? made.deleteFromKeyChain() }
        #expect(made.certs.count == 2)
        #expect(made.certs.last == authority.certs.first)
        let stored = try #require(try TLSIdentity.identity(withLabel: label))
        #expect(stored.data == made.data)
        #expect(made.expiration.timeIntervalSinceNow < 366.0 * 86_400)
        #expect(thrown { _ = try create(issuer: authority) } == .couchbaseLite(CBLError.crypto))
    }

    @Test("without an issuer, an identity for both usages is self-signed")
    func selfSigned() throws {
        let made = try create(issuer: nil)
        defer { try? made.deleteFromKeyChain() }
        #expect(made.certs.count == 1)
    }

    @Test("key usages have the raw values of the original")
    func usages() {
        #expect(KeyUsages.serverAuth.rawValue == 0x40)
        #expect(KeyUsages.clientAuth.rawValue == 0x80)
        #expect(KeyUsages(rawValue: 0xC0) == [.clientAuth, .serverAuth])
    }

    @Test("wrong attributes, key usages, dates and issuers are refused, and nothing is stored")
    func refusals() throws {
        let expired = try TLSIdentity(pem: TestCertificateAuthority.expired)
        let leaf = try create(issuer: authority, label: label + " leaf")
        defer { try? leaf.deleteFromKeyChain() }
        let attempts: [(String, () throws -> TLSIdentity)] = [
            ("a common name", { try create([.serverAuth], [certAttrOrganization: "x"], issuer: authority) }),
            ("country", { try create([.serverAuth], [certAttrCommonName: "x", certAttrCountry: "Germany"], issuer: authority) }),
            ("not a certificate attribute", { try create([.serverAuth], [certAttrCommonName: "x", "hostname": "y"], issuer: authority) }),
            ("not an IP address", { try create([.serverAuth], [certAttrCommonName: "x", certAttrIPAddress: "y"], issuer: authority) }),
            ("key usages", { try create([], issuer: authority) }),
            ("key usages", { try create(KeyUsages(rawValue: 1), issuer: authority) }),
            ("key usages", { try create([.serverAuth, KeyUsages(rawValue: 1)], issuer: nil) }),
            ("between 1970 and 9999", { try create(expiration: Date(timeIntervalSince1970: 1e300), issuer: nil) }),
            ("has expired", { try create(issuer: expired) }),
            ("not a certificate authority", { try create(issuer: leaf) }),
        ]
        for (reason, attempt) in attempts {
            let error = #expect(throws: NSError.self) { try attempt() }
            #expect(error?.domain == CBLError.domain && error?.code == CBLError.crypto, "\(reason)")
            #expect(error?.localizedDescription.contains(reason) == true, "\(error?.localizedDescription ?? "")")
        }
        #expect(thrown { _ = try TLSIdentity.identity(withLabel: label) } == .notFound)
    }

    /// A listener with an identity, and a collection of a client that replicates with it.
    private struct Pair {
        let folder: DatabaseFolder
        let listener: URLEndpointListener
        let notes: CouchbaseLiteSwift.Collection

        init(_ identity: TLSIdentity, _ authenticator: (any ListenerAuthenticator)? = nil) throws {
            folder = try DatabaseFolder()
            let served = try folder.open("server").createCollection(name: "notes")
            try served.save(document: MutableDocument(id: "note"))
            let config = URLEndpointListenerConfiguration(collections: [served])
            config.networkInterface = "127.0.0.1"
            config.tlsIdentity = identity
            config.authenticator = authenticator
            listener = URLEndpointListener(config: config)
            try listener.start()
            notes = try folder.open("client").createCollection(name: "notes")
        }

        /// Replicates once, and returns the code of the error.
        func replicate(_ configure: (ReplicatorConfiguration) -> Void) async throws -> Int? {
            let port = try #require(listener.port)
            let url = try #require(URL(string: "wss://localhost:\(port)/server"))
            let config = ReplicatorConfiguration(
                collections: CollectionConfiguration.fromCollections([notes]),
                target: URLEndpoint(url: url)
            )
            config.maxAttempts = 1
            configure(config)
            let replicator = Replicator(config: config)
            replicator.start()
            return (await replicator.waitUntilDone().error as NSError?)?.code
        }
    }

    @Test("a client that pins or trusts the authority replicates with a listener whose identity the authority has issued")
    func handshake() async throws {
        let identity = try create(issuer: authority)
        let pair = try Pair(identity)
        defer {
            pair.listener.stop()
            try? identity.deleteFromKeyChain()
        }
        let root = try #require(authority.certs.first)
        #expect(try await pair.replicate { $0.pinnedServerCertificate = root } == nil)
        #expect(try pair.notes.document(id: "note") != nil)
        #expect(try await pair.replicate { $0.trustedRootCertificates = [root] } == nil)
        let stranger = try #require(try TLSIdentity(pem: TestCertificateAuthority.expired).certs.first)
        #expect(try await pair.replicate { $0.pinnedServerCertificate = stranger } == CBLError.tlsCertUnknownRoot)
        #expect(try await pair.replicate { $0.acceptOnlySelfSignedServerCertificate = true } == CBLError.tlsCertUntrusted)
        #expect(try await pair.replicate { _ in } == CBLError.tlsCertUnknownRoot)
    }

    @Test("a listener with an identity for clients is not trusted")
    func wrongServerUsage() async throws {
        let identity = try create([.clientAuth], issuer: authority)
        let pair = try Pair(identity)
        defer {
            pair.listener.stop()
            try? identity.deleteFromKeyChain()
        }
        let root = try #require(authority.certs.first)
        #expect(try await pair.replicate { $0.trustedRootCertificates = [root] } == CBLError.tlsCertUntrusted)
    }

    @Test("a listener accepts clients with an identity of its authority, if it is for clients")
    func clients() async throws {
        let identity = try create(issuer: authority)
        let root = try #require(authority.certs.first)
        let pair = try Pair(identity, ListenerCertificateAuthenticator(rootCerts: [root]))
        let phone = try create([.clientAuth], issuer: authority, label: label + " phone")
        let server = try create([.serverAuth], issuer: authority, label: label + " server")
        defer {
            pair.listener.stop()
            for each in [identity, phone, server] { try? each.deleteFromKeyChain() }
        }
        for (client, code) in [(phone, nil), (identity, nil), (server, CBLError.tlsClientCertRejected)] as [(TLSIdentity, Int?)] {
            let found = try await pair.replicate {
                $0.pinnedServerCertificate = root
                $0.authenticator = ClientCertificateAuthenticator(identity: client)
            }
            #expect(found == code)
        }
        #expect(try await pair.replicate { $0.pinnedServerCertificate = root } == CBLError.tlsClientCertRequired)
    }
}
#endif
