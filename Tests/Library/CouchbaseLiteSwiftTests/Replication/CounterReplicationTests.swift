#if Replication
import DocumentStore
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Counters that several devices change", .ownThreads)
struct CounterReplicationTests {
    /// A database with one document that has a counter.
    final class Device {
        let database: Database
        let collection: CouchbaseLiteSwift.Collection
        let articles: ModelCollection<StockedArticle>

        init(_ name: String, in folder: DatabaseFolder) throws {
            database = try folder.open(name)
            collection = try database.defaultCollection()
            articles = collection.models(StockedArticle.self)
        }

        var stock: Int? { get throws { try collection.document(id: "a")?.int(forKey: "stock") } }

        func add(_ change: Int) throws {
            var article = try #require(try articles.get("a"))
            article.stock += change
            try articles.save(&article)
        }

        /// Changes the number like a program that knows no counters.
        func write(_ change: Int, note: String, dropsTallies: Bool = false) throws {
            let document = try #require(try collection.document(id: "a")).toMutable()
            document.setInt(document.int(forKey: "stock") + change, forKey: "stock").setString(note, forKey: "note")
            if dropsTallies { document.removeValue(forKey: "stock_counter") }
            try collection.save(document: document)
        }

        @discardableResult
        func sync(with other: Device, _ resolver: (any ConflictResolverProtocol)? = nil) async throws -> ReplicatorReport {
            var configuration = CollectionConfiguration()
            configuration.conflictResolver = resolver
            let config = ReplicatorConfiguration(target: DatabaseEndpoint(database: other.database))
            config.addCollection(collection, config: configuration)
            return try await Replicator(config: config).run()
        }
    }

    let folder: DatabaseFolder

    init() throws { folder = try DatabaseFolder() }

    /// Returns devices and a hub that have the same document.
    private func devices(_ count: Int, stock: Int = 100) async throws -> (devices: [Device], hub: Device) {
        let hub = try Device("hub", in: folder)
        try hub.articles.save(StockedArticle("a", stock))
        let devices = try (0..<count).map { try Device("device\($0)", in: folder) }
        for device in devices { try await device.sync(with: hub) }
        return (devices, hub)
    }

    @Test("two devices that subtract the same number from a plain number lose one change, and from a counter none")
    func trap() async throws {
        let (devices, hub) = try await devices(2)
        for device in devices { try device.write(-1, note: "sold") }
        for device in devices { #expect(try await device.sync(with: hub).conflicts.isEmpty) }
        #expect(try hub.stock == 99)
        for device in devices { try await device.sync(with: hub) }
        for device in devices { try device.add(-1) }
        #expect(try await devices[0].sync(with: hub).conflicts.isEmpty)
        #expect(try await devices[1].sync(with: hub).conflicts.first.map(\.resolution) == [.merged])
        try await devices[0].sync(with: hub)
        #expect(try hub.stock == 97 && devices[0].stock == 97 && devices[1].stock == 97)
    }

    @Test(
        "each ready resolver adds the changes of a counter, and gives the rest to the version that wins",
        arguments: ["default", "fields", "newest", "typed"]
    )
    func resolvers(_ name: String) async throws {
        let resolver =
            switch name {
            case "fields": ConflictResolver.fieldByField
            case "newest": ConflictResolver.newest("name")
            case "typed":
                ConflictResolver.merging(StockedArticle.self) { base, mine, theirs in
                    var article = mine.name > theirs.name ? mine : theirs
                    article.stock += 1000
                    return article
                }
            default: ConflictResolver.default
            }
        let (devices, hub) = try await devices(2)
        for (device, name) in zip(devices, ["nail", "bolt"]) {
            var article = try #require(try device.articles.get("a"))
            article.stock -= 5
            article.name = name
            try device.articles.save(&article)
        }
        try await devices[0].sync(with: hub, resolver)
        try await devices[1].sync(with: hub, resolver)
        #expect(try hub.stock == (name == "typed" ? 1090 : 90))
        let merged = try hub.articles.get("a")?.name
        if name == "newest" || name == "typed" { #expect(merged == "nail") }
        try devices[1].add(-1)
        try await devices[1].sync(with: hub, resolver)
        #expect(try hub.stock == (name == "typed" ? 1089 : 89))
    }

    @Test("the changes of devices and of programs that know no counters add up, in random order and with a hub")
    func withHub() async throws {
        let seed = TestSeed.forThisTest()
        print("seed", seed)
        var random = SeededGenerator(seed: seed)
        for round in 0..<4 {
            let folder = try DatabaseFolder()
            let (devices, hub) = try await Self(folder).devices(3)
            var expected = 100
            for step in 0..<40 {
                let device = try #require(devices.randomElement(using: &random))
                let change = Int.random(in: -3...3, using: &random)
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<9:
                    try device.add(change)
                    expected += change
                case 9..<12:
                    // Equal documents are no conflict, so that one of two such changes is lost.
                    try device.write(change, note: "\(step)")
                    expected += change
                default: try await device.sync(with: hub, round % 2 == 0 ? ConflictResolver.fieldByField : nil)
                }
            }
            for _ in 0..<2 { for device in devices { try await device.sync(with: hub) } }
            for device in devices + [hub] { #expect(try device.stock == expected, "seed \(seed), round \(round)") }
        }
    }

    private init(_ folder: DatabaseFolder) { self.folder = folder }

    @Test("the changes of devices that replicate with each other in all directions add up")
    func withoutHub() async throws {
        let seed = TestSeed.forThisTest()
        print("seed", seed)
        var random = SeededGenerator(seed: seed)
        for round in 0..<4 {
            let folder = try DatabaseFolder()
            let devices = try await Self(folder).devices(4).devices
            var expected = 100
            for _ in 0..<40 {
                let pair = devices.shuffled(using: &random)
                if Bool.random(using: &random) {
                    let change = Int.random(in: -2...2, using: &random)
                    try pair[0].add(change)
                    expected += change
                } else {
                    try await pair[0].sync(with: pair[1], round % 2 == 0 ? ConflictResolver.fieldByField : nil)
                }
            }
            for _ in 0..<3 {
                for device in devices { for other in devices where other !== device { try await device.sync(with: other) } }
            }
            for device in devices { #expect(try device.stock == expected, "seed \(seed), round \(round)") }
        }
    }

    @Test("changes are counted if a program removes the tallies, and if devices begin new ones", arguments: [-4, 1])
    func removed(change: Int) async throws {
        let (devices, hub) = try await devices(2)
        try devices[0].add(-1)
        for device in devices { try await device.sync(with: hub) }
        try devices[0].write(-2, note: "first", dropsTallies: true)
        try devices[0].add(change)
        try devices[1].add(-8)
        for device in devices { try await device.sync(with: hub) }
        #expect(try hub.stock == 89 + change)
        try await devices[0].sync(with: hub)
        for (number, device) in devices.enumerated() { try device.write(-2, note: "\(number)", dropsTallies: true) }
        for device in devices { try await device.sync(with: hub) }
        #expect(try hub.stock == 85 + change)
    }

    @Test("a counter that cannot be merged, because a number exceeds 64 bits, is that of the newer version")
    func overflow() async throws {
        let (devices, hub) = try await devices(2, stock: 0)
        try devices[0].add(.max)
        try await devices[0].sync(with: hub)
        try devices[1].add(.max)
        try devices[1].write(0, note: "newer")
        let report = try await devices[1].sync(with: hub)
        #expect(report.conflicts.first.map(\.resolution) == [.local])
        #expect(try hub.stock == .max)
        try devices[1].add(-1)
    }

    @Test("a property with the name of tallies that are none is replicated as any other")
    func noTallies() async throws {
        let (devices, hub) = try await devices(2)
        try hub.collection.save(document: MutableDocument(id: "b", json: #"{"stock":5,"stock_counter":"garbage"}"#))
        for device in devices { try await device.sync(with: hub) }
        for (number, device) in devices.enumerated() {
            let document = try #require(try device.collection.document(id: "b")).toMutable()
            document.setInt(number, forKey: "stock").setString("garbage \(number)", forKey: "stock_counter")
            try device.collection.save(document: document)
        }
        for device in devices { try await device.sync(with: hub) }
        let merged = try #require(try hub.collection.document(id: "b"))
        #expect(merged.string(forKey: "stock_counter") == "garbage \(merged.int(forKey: "stock"))")
    }

    @Test("devices that create a document with the same counter independently have its start once")
    func independent() async throws {
        let hub = try Device("hub", in: folder)
        let device = try Device("device", in: folder)
        try hub.articles.save(StockedArticle("a", 10))
        var article = StockedArticle("a", 10)
        article.name = "nail"
        try device.articles.save(&article)
        try device.add(-1)
        try hub.add(-2)
        try await device.sync(with: hub)
        #expect(try device.stock == 7 && hub.stock == 7)
    }
}
#endif
