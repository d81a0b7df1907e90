import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("The guide for those who come from GRDB or SQLiteData")
struct ComingFromGRDBGuideTests {
    struct Player: Codable, Identifiable {
        @DocumentID var id: String?
        var name: String
        var score: Int
    }

    @Test("the examples of the guide save, find and observe players, and compute an average")
    func works() async throws {
        let config = try DatabaseFolder().config

        let database = try Database(name: "game", config: config)
        let players = try database.createCollection(name: "player").models(Player.self)
        try players.collection.createIndex(
            withName: "score",
            config: ValueIndexConfiguration(["score"])
        )
        try await database.write {
            try players.save(Player(name: "Arthur", score: 1000))
        }

        let best = players.query(
            where: #Predicate { $0.score >= 1000 },
            orderBy: [SortDescriptor(\.name)]
        )
        let found = try await database.read { try best.all() }
        let least = 500
        let average = try await database.read {
            try database.query("SELECT avg(score) FROM player WHERE score >= \(least)")
                .execute().next()?.double(at: 0)
        }

        for try await current in best.live() {
            print(current.count)
            if current.count == 1 { break }
        }
        #expect(found.map(\.name) == ["Arthur"])
        #expect(average == 1000)
    }
}
