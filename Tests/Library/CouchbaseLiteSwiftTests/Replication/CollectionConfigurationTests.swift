#if Replication
import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Configurations of collections with the spelling of 4.x")
struct CollectionConfigurationTests {
    let folder: DatabaseFolder
    let database: Database
    let target: URLEndpoint

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        target = URLEndpoint(url: try #require(URL(string: "wss://example.com/db")))
    }

    private func collections(_ names: String...) throws -> [CouchbaseLiteSwift.Collection] {
        try names.map { try database.createCollection(name: $0) }
    }

    @Test("a configuration of a replicator has the collections with their configurations, in order")
    func initializing() throws {
        let all = try collections("b", "a", "c")
        var configurations = CollectionConfiguration.fromCollections(all)
        #expect(configurations.map(\.collection) == all)
        #expect(configurations.allSatisfy { $0.channels == nil && $0.documentIDs == nil && $0.conflictResolver == nil })
        configurations[1].channels = ["x"]
        let config = ReplicatorConfiguration(collections: configurations, target: target)
        #expect(config.collections == all)
        #expect(config.collectionConfigurations.map(\.collection) == all)
        #expect(config.collectionConfigurations.map(\.channels) == [nil, ["x"], nil])
        let copy = Replicator(config: config).config
        #expect(copy.collectionConfigurations.map(\.channels) == [nil, ["x"], nil])
        #expect((copy.target as? URLEndpoint)?.url == target.url)
    }

    @Test("of two configurations of one collection the last one counts")
    func twice() throws {
        let all = try collections("a", "b")
        var configurations = CollectionConfiguration.fromCollections(all + all)
        configurations[0].channels = ["x"]
        configurations[2].channels = ["y"]
        let config = ReplicatorConfiguration(collections: configurations, target: target)
        #expect(config.collections == all)
        #expect(config.collectionConfigurations.map(\.channels) == [["y"], nil])
    }

    @Test("configurations that were added without a collection have the one that they were added for")
    @available(*, deprecated)
    func mixed() throws {
        let all = try collections("a", "b")
        let config = ReplicatorConfiguration(target: target)
        config.addCollection(all[0], config: CollectionConfiguration())
        config.addCollection(all[1], config: CollectionConfiguration(collection: all[0]))
        #expect(config.collectionConfigurations.map(\.collection) == all)
        #expect(config.collectionConfig(all[0])?.collection == all[0])
        let empty = CollectionConfiguration()
        #expect(misuse { _ = empty.collection }?.name == inconsistency)
        let target = target
        #expect(misuse { _ = ReplicatorConfiguration(collections: [empty], target: target) }?.name == invalidArgument)
    }

    @Test("no collections, and those of several databases, are a misuse, which the validating form throws")
    func misuses() throws {
        let lost = try database.createCollection(name: "lost")
        try database.deleteCollection(name: "lost")
        let other = try folder.open("other").defaultCollection()
        let own = try database.defaultCollection()
        let target = target
        for (wrong, code) in [([], .invalidParameter), ([lost], .notOpen), ([own, other], .invalidParameter)]
            as [([CouchbaseLiteSwift.Collection], ErrorCode)]
        {
            let configurations = CollectionConfiguration.fromCollections(wrong)
            #expect(misuse { _ = ReplicatorConfiguration(collections: configurations, target: target) }?.name == invalidArgument)
            #expect(thrown { _ = try ReplicatorConfiguration(validating: configurations, target: target) } == code)
        }
        let valid = try ReplicatorConfiguration(validating: [CollectionConfiguration(collection: own)], target: target)
        #expect(valid.collections == [own])
    }
}
#endif
