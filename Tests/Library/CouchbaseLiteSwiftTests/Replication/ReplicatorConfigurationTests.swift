#if Replication
import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Replicator configurations")
struct ReplicatorConfigurationTests {
    let folder: DatabaseFolder
    let database: Database
    let target: URLEndpoint

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        target = URLEndpoint(url: try #require(URL(string: "wss://example.com/db")))
    }

    @Test("the properties of a replicator configuration have their default values")
    func defaults() {
        let config = ReplicatorConfiguration(target: target)
        #expect(config.replicatorType == .pushAndPull)
        #expect(!config.continuous)
        #expect(config.authenticator == nil)
        #expect(!config.acceptOnlySelfSignedServerCertificate)
        #expect(config.pinnedServerCertificate == nil)
        #expect(config.trustedRootCertificates == nil)
        #expect(config.headers == nil)
        #expect(config.networkInterface == nil)
        #expect(config.proxy == nil)
        #expect(!config.acceptParentDomainCookie)
        #expect(!config.allowReplicatingInBackground)
        #expect(config.heartbeat == 300)
        #expect(config.maxAttempts == 10)
        #expect(config.maxAttemptWaitTime == 300)
        #expect(config.enableAutoPurge)
        #expect(config.collections.isEmpty)
        #expect(ReplicatorConfiguration.defaultMaxAttemptsWaitTime == 300)
    }

    @Test("the default of maxAttempts depends on continuous, and 0 restores it")
    func attempts() {
        let config = ReplicatorConfiguration(target: target)
        config.continuous = true
        #expect(config.maxAttempts == .max)
        config.maxAttempts = 3
        #expect(config.maxAttempts == 3)
        config.continuous = false
        #expect(config.maxAttempts == 3)
        config.maxAttempts = 0
        #expect(config.maxAttempts == 10)
    }

    @Test("a replicator copies all properties of its configuration, and later changes do not affect it")
    func copy() throws {
        let collection = try database.defaultCollection()
        let config = ReplicatorConfiguration(target: target)
        config.replicatorType = .pull
        config.continuous = true
        config.authenticator = BasicAuthenticator(username: "u", password: "p")
        config.acceptOnlySelfSignedServerCertificate = true
        config.headers = ["a": "b"]
        config.networkInterface = "lo"
        config.proxy = ProxySettings(host: "p", port: 1)
        config.acceptParentDomainCookie = true
        config.allowReplicatingInBackground = true
        config.heartbeat = 5
        config.maxAttempts = 7
        config.maxAttemptWaitTime = 8
        config.enableAutoPurge = false
        config.addCollection(collection)
        let replicator = Replicator(config: config)
        config.continuous = false
        config.removeCollection(collection)
        for copy in [replicator.config, ReplicatorConfiguration(config: replicator.config)] {
            #expect(copy.replicatorType == .pull)
            #expect(copy.continuous)
            #expect((copy.authenticator as? BasicAuthenticator)?.username == "u")
            #expect(copy.acceptOnlySelfSignedServerCertificate)
            #expect(copy.headers == ["a": "b"])
            #expect(copy.networkInterface == "lo")
            #expect(copy.proxy == ProxySettings(host: "p", port: 1))
            #expect(copy.acceptParentDomainCookie)
            #expect(copy.allowReplicatingInBackground)
            #expect(copy.heartbeat == 5)
            #expect(copy.maxAttempts == 7)
            #expect(copy.maxAttemptWaitTime == 8)
            #expect(!copy.enableAutoPurge)
            #expect(copy.collections == [collection])
        }
        replicator.config.continuous = false
        #expect(replicator.config.continuous)
    }

    @Test("collections keep their order, and adding a collection again replaces its configuration")
    func collections() throws {
        let names = ["b", "a", "c"]
        let collections = try names.map { try database.createCollection(name: $0) }
        let config = ReplicatorConfiguration(target: target)
        config.addCollection(collections[0]).addCollections(Array(collections[1...]))
        #expect(config.collections.map(\.name) == names)
        #expect(config.collectionConfig(collections[1])?.channels == nil)
        var channels = CollectionConfiguration()
        channels.channels = ["x"]
        let again = try #require(try database.collection(name: "a"))
        config.addCollection(again, config: channels)
        #expect(config.collections.map(\.name) == names)
        #expect(config.collectionConfig(collections[1])?.channels == ["x"])
        config.removeCollection(again)
        #expect(config.collections.map(\.name) == ["b", "c"])
        #expect(config.collectionConfig(again) == nil)
        config.removeCollection(again)
    }

    @Test("deprecated properties of a configuration are those of the default collection")
    func defaultCollection() throws {
        let config: any OldConfiguration = ReplicatorConfiguration.old(database, target)
        config.channels = ["a"]
        config.documentIDs = ["b"]
        config.pushFilter = { _, _ in true }
        config.pullFilter = { _, _ in true }
        config.conflictResolver = ConflictResolver.default
        let collection = try database.defaultCollection()
        let configuration = try #require((config as? ReplicatorConfiguration)?.collectionConfig(collection))
        #expect(configuration.channels == ["a"])
        #expect(configuration.documentIDs == ["b"])
        #expect(configuration.pushFilter != nil)
        #expect(configuration.pullFilter != nil)
        #expect(configuration.conflictResolver != nil)
        #expect(config.database === database)
    }

    @Test("without the default collection deprecated properties are nil, and setting one raises an exception")
    func noDefaultCollection() {
        let config: any OldConfiguration = ReplicatorConfiguration(target: target)
        #expect(config.channels == nil)
        #expect(config.documentIDs == nil)
        #expect(config.conflictResolver == nil)
        // Unsafe: used by one thread at a time.
        nonisolated(unsafe) let unsafe = config
        #expect(misuse { unsafe.channels = ["a"] }?.name == inconsistency)
        #expect(misuse { _ = unsafe.database }?.name == inconsistency)
    }

    @Test("invalid values and collections of a configuration raise an exception")
    func misuses() throws {
        let target = target
        // Unsafe: used by one thread at a time, as are the configurations of the other tests.
        nonisolated(unsafe) let config = ReplicatorConfiguration(target: target)
        #expect(misuse { config.heartbeat = -1 }?.name == invalidArgument)
        #expect(misuse { config.heartbeat = .nan }?.name == invalidArgument)
        #expect(misuse { config.maxAttemptWaitTime = -0.5 }?.name == invalidArgument)
        #expect(misuse { config.addCollections([]) }?.name == invalidArgument)
        #expect(
            misuse { _ = Replicator(config: ReplicatorConfiguration(target: target)) }?.reason
                == "Attempt to initiate replicator with empty collection"
        )
        let collection = try database.defaultCollection()
        let other = try folder.open("other").defaultCollection()
        config.addCollection(collection)
        #expect(misuse { config.addCollection(other) }?.name == invalidArgument)
        #expect(
            misuse { ReplicatorConfiguration(target: target).addCollections([collection, other]) }?.name
                == invalidArgument
        )
        let lost = try database.createCollection(name: "lost")
        try database.deleteCollection(name: "lost")
        #expect(misuse { config.addCollection(lost) }?.name == invalidArgument)
        #expect(config.collections == [collection])
    }

    @Test(
        "a URL endpoint raises an exception for a scheme other than ws or wss and for a URL with a user",
        arguments: [
            "http://localhost/db", "localhost/db", "blip://localhost/db", "ws://user@localhost/db",
            "wss://user:password@localhost/db",
        ]
    )
    func badURLs(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(misuse { _ = URLEndpoint(url: url) }?.name == invalidArgument)
    }

    @Test("replicating a database with itself raises an exception")
    func itself() throws {
        let database = database
        let same = try folder.open()
        for target in [database, same] {
            let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: target))
            config.addCollection(try database.defaultCollection())
            // Unsafe: used by one thread at a time.
            nonisolated(unsafe) let unsafe = config
            #expect(misuse { _ = Replicator(config: unsafe) }?.name == invalidArgument)
        }
    }

    @Test("authenticators do not reveal passwords and session IDs in their descriptions")
    func secrets() {
        let shown =
            String(describing: BasicAuthenticator(username: "u", password: "secret1"))
            + String(reflecting: BasicAuthenticator(username: "u", password: "secret1"))
            + String(describing: SessionAuthenticator(sessionID: "secret2"))
            + String(reflecting: SessionAuthenticator(sessionID: "secret2"))
        #expect(!shown.contains("secret"))
        #expect(SessionAuthenticator(sessionID: "x").cookieName == "SyncGatewaySession")
        #expect(SessionAuthenticator(sessionID: "x", cookieName: nil).cookieName == "SyncGatewaySession")
        #expect(SessionAuthenticator(sessionID: "x", cookieName: "c").cookieName == "c")
    }
}

/// Uses deprecated declarations without a warning.
private protocol OldConfiguration: AnyObject {
    var database: Database { get }
    var channels: [String]? { get set }
    var documentIDs: [String]? { get set }
    var pushFilter: ReplicationFilter? { get set }
    var pullFilter: ReplicationFilter? { get set }
    var conflictResolver: (any ConflictResolverProtocol)? { get set }
    init(database: Database, target: any Endpoint)
}

extension OldConfiguration {
    fileprivate static func old(_ database: Database, _ target: any Endpoint) -> any OldConfiguration {
        Self(database: database, target: target)
    }
}

extension ReplicatorConfiguration: OldConfiguration {}
#endif
