#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

struct Task5: Codable {
    @DocumentID var id: String?
    var title: String
    var changed: Date?
    @Counter var votes: Int
}

@Suite("Ready conflict resolvers and runs in a client in Swift 5 mode")
struct MergingClientTests {
    @Test("each ready resolver merges the counters of two databases that a run replicates")
    func merging() async throws {
        let resolvers: [ConflictResolverProtocol] = [
            ConflictResolver.fieldByField, ConflictResolver.newest(\Task5.title), ConflictResolver.newest(\Task5.changed),
            ConflictResolver.newest("title"),
            ConflictResolver.merging(Task5.self) { _, mine, theirs in mine.title > theirs.title ? mine : theirs },
        ]
        let directory = try TemporaryDirectory()
        let configuration = DatabaseConfiguration()
        configuration.directory = directory.url.path
        let (here, there) = (try Database(name: "here", config: configuration), try Database(name: "there", config: configuration))
        let (mine, theirs) = (try here.defaultCollection(), try there.defaultCollection())
        try mine.models(Task5.self).save(Task5(id: "a", title: "first", votes: 0))
        for (number, resolver) in resolvers.enumerated() {
            var collection = CollectionConfiguration()
            collection.conflictResolver = resolver
            let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: there))
            config.addCollection(mine, config: collection)
            let replicator = Replicator(config: config)
            _ = try await replicator.run()
            for collection in [mine, theirs] {
                var task = try #require(try collection.models(Task5.self).get("a"))
                task.votes += 1
                try collection.models(Task5.self).save(&task)
            }
            let report = try await replicator.run()
            #expect(report.conflicts.count == 1)
            #expect(try theirs.models(Task5.self).get("a")?.votes == 2 * (number + 1))
        }
    }
}
#endif
