import CouchbaseLiteSwift
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("The guide to threads, tasks and changes")
struct ConcurrencyGuideTests {
    @Test("the examples of the guide to threads and tasks open, save, batch, listen and expire documents")
    func works() async throws {
        let folder = try DatabaseFolder()
        let config = folder.config
        let queue = DispatchQueue(label: "guide")
        let printed = Recorder<String>()
        @Sendable func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let database = try await Database.async.open(name: "travel", config: config)

        let airports = try await database.write {
            let airports = try database.createCollection(name: "airports")
            let laPaz = MutableDocument(id: "LPB").setInt(13355, forKey: "altitude")
            try airports.save(document: laPaz)
            return airports
        }

        let least = 10_000
        let (laPaz, high) = try await database.read {
            let query = try database.query(
                "SELECT meta().id FROM airports WHERE altitude > \(least)"
            )
            return (
                try airports.document(id: "LPB"),
                try query.execute().allResults().count
            )
        }
        #expect(laPaz?.int(forKey: "altitude") == 13355)
        #expect(high == 1)

        let count = try await database.write {
            for number in 1...1000 {
                try airports.save(
                    document: MutableDocument(id: "gate-\(number)")
                        .setInt(number, forKey: "gate")
                )
            }
            return airports.count
        }
        #expect(count == 1001)

        let changes = airports.changes()
        try await database.write {
            try airports.save(document: MutableDocument(id: "CDG"))
        }
        for await change in changes {
            print("changed:", change.documentIDs)
            break
        }

        let token = airports.addChangeListener(queue: queue) { change in
            print("heard of:", change.documentIDs)
        }
        try await database.write { try airports.purge(id: "gate-1") }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                printed.wait(forCount: 2)
                continuation.resume()
            }
        }
        #expect(printed.all == [#"changed: ["CDG"]"#, #"heard of: ["gate-1"]"#])
        token.remove()

        @MainActor
        final class AirportsView {
            var changed: [String] = []

            func follow(_ airports: Collection) -> ListenerToken {
                airports.addChangeListener { [weak self] change in
                    self?.changed += change.documentIDs
                }
            }
        }
        let view = AirportsView()
        let following = await view.follow(airports)
        try await database.write { try airports.purge(id: "gate-2") }
        while await view.changed.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(await view.changed == ["gate-2"])
        following.remove()

        try airports.setDocumentExpiration(
            id: "CDG",
            expiration: Date(timeIntervalSinceNow: 3600)
        )
        #expect(try airports.getDocumentExpiration(id: "CDG") != nil)
    }
}
