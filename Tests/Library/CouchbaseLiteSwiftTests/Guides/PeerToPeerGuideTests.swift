#if Replication
import Foundation
import TestTraits
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("The guide to peer-to-peer replication", .ownThreads)
struct PeerToPeerGuideTests {
    @Test("the examples of the peer-to-peer guide replicate with a TLS listener")
    func listens() async throws {
        let folder = try DatabaseFolder()
        let notes = try folder.open("here").createCollection(name: "notes")
        let theirNotes = try folder.open("there").createCollection(name: "notes")
        try notes.save(document: MutableDocument(id: "note-1"))
        let secret = "a good one"
        let printed = Recorder<String>()
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let configuration = URLEndpointListenerConfiguration(collections: [notes])
        configuration.authenticator = ListenerPasswordAuthenticator { username, password in
            username == "friend" && password == secret
        }
        let listener = URLEndpointListener(config: configuration)
        try listener.start()
        print("reach me at", listener.urls ?? [])

        let anonymous = try #require(listener.tlsIdentity)
        defer {
            listener.stop()
            try? anonymous.deleteFromKeyChain()
        }
        let port = try #require(listener.port)
        let url = try #require(URL(string: "wss://localhost:\(port)/here"))
        let certificate = try #require(anonymous.certs.first)

        let config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: theirNotes)],
            target: URLEndpoint(url: url)
        )
        config.acceptOnlySelfSignedServerCertificate = true
        config.authenticator = BasicAuthenticator(username: "friend", password: secret)
        let replicator = Replicator(config: config)
        replicator.start()

        #expect(await replicator.waitUntilDone().error == nil)
        #expect(try theirNotes.document(id: "note-1") != nil)
        #expect(printed.all.first?.contains("wss://") == true)

        config.pinnedServerCertificate = certificate
        config.acceptOnlySelfSignedServerCertificate = false

        try notes.save(document: MutableDocument(id: "note-2"))
        let pinned = Replicator(config: config)
        pinned.start()
        #expect(await pinned.waitUntilDone().error == nil)
        #expect(try theirNotes.document(id: "note-2") != nil)

        let label = UUID().uuidString
        defer { try? TLSIdentity.deleteIdentity(withLabel: label) }

        let identity = try TLSIdentity.createIdentity(
            for: [.serverAuth, .clientAuth],
            attributes: [certAttrCommonName: "Anna's phone"],
            label: label
        )
        configuration.tlsIdentity = identity

        let named = URLEndpointListener(config: configuration)
        try named.start()
        defer { named.stop() }
        #expect(named.tlsIdentity?.certs == identity.certs)
    }

    @Test("the examples of the peer-to-peer guide replicate devices that have identities of an authority")
    func authorities() async throws {
        _ = TestIdentities.directory
        let folder = try DatabaseFolder()
        let notes = try folder.open("here").createCollection(name: "notes")
        let theirNotes = try folder.open("there").createCollection(name: "notes")
        try notes.save(document: MutableDocument(id: "note-1"))
        let (authorityText, phoneLabel) = (TestCertificateAuthority.valid, UUID().uuidString)
        defer { try? TLSIdentity.deleteIdentity(withLabel: phoneLabel) }
        let configuration = URLEndpointListenerConfiguration(collections: [notes])

        let authority = try TLSIdentity(pem: authorityText)
        let phone = try TLSIdentity.createIdentity(
            for: [.serverAuth, .clientAuth],
            attributes: [certAttrCommonName: "Ben's phone"],
            issuer: authority,
            label: phoneLabel
        )
        configuration.tlsIdentity = phone
        configuration.authenticator = ListenerCertificateAuthenticator(
            rootCerts: Array(authority.certs.prefix(1))
        )

        let listener = URLEndpointListener(config: configuration)
        try listener.start()
        defer { listener.stop() }
        let port = try #require(listener.port)
        let url = try #require(URL(string: "wss://localhost:\(port)/here"))
        let config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: theirNotes)],
            target: URLEndpoint(url: url)
        )

        config.pinnedServerCertificate = authority.certs.first
        config.authenticator = ClientCertificateAuthenticator(identity: phone)

        try await Replicator(config: config).run()
        #expect(try theirNotes.document(id: "note-1") != nil)
    }

    @Test("the example of the peer-to-peer guide replicates two databases of one app")
    func local() async throws {
        let folder = try DatabaseFolder()
        let notes = try folder.open("notes").createCollection(name: "notes")
        let backup = try folder.open("backup")
        let kept = try backup.createCollection(name: "notes")
        try notes.save(document: MutableDocument(id: "note-1"))

        let copy = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: notes)],
            target: DatabaseEndpoint(database: backup)
        )
        copy.replicatorType = .push
        let copier = Replicator(config: copy)
        copier.start()

        #expect(await copier.waitUntilDone().error == nil)
        #expect(try kept.document(id: "note-1") != nil)
    }
}
#endif
