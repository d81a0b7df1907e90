#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("The guide to migrating from the original")
struct MigratingFromTheOriginalGuideTests {
    @Test("the example of the guide reads the collections of a configuration in both spellings")
    func configurations() throws {
        let folder = try DatabaseFolder()
        let database = try folder.open()
        let url = try #require(URL(string: "ws://localhost:4984/db"))
        let printed = Recorder<String>()
        func print(_ item: Any) { printed.append("\(item)") }

        let wanted = ["notes", "tags"]
        let collections = try wanted.map { try database.createCollection(name: $0) }
        var configurations = CollectionConfiguration.fromCollections(collections)
        configurations[0].channels = ["anna"]
        let config = ReplicatorConfiguration(
            collections: configurations,
            target: URLEndpoint(url: url)
        )
        print(config.collections.map(\.name))
        print(config.collectionConfigurations.map { $0.channels ?? [] })

        #expect(printed.all == [#"["notes", "tags"]"#, #"[["anna"], []]"#])
    }
}
#endif
