import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("The guide for those who come from Core Data or SwiftData")
struct ComingFromCoreDataGuideTests {
    struct Trip: Codable, Identifiable {
        @DocumentID var id: String?
        var name: String
        var destination: String
        var start: Date
    }

    @MainActor
    @Test("the examples of the guide save, find, change, observe and move trips")
    func works() async throws {
        let config = try DatabaseFolder().config

        let database = try Database(name: "trips", config: config)
        let trips = try database.createCollection(name: "trips").models(Trip.self)
        var trip = Trip(name: "Spring", destination: "Paris", start: .now)
        try trips.save(&trip)

        let toParis = trips.query(
            where: #Predicate { $0.destination == "Paris" },
            orderBy: [SortDescriptor(\.start)]
        )
        let found = try toParis.all()
        trip.name = "Easter"
        try trips.save(&trip)
        #expect(found.map(\.name) == ["Spring"])

        let list = LiveQuery(trips.query(orderBy: [SortDescriptor(\.start)]).live())
        await observe({ list.rows }, until: { $0.map(\.name) == ["Easter"] })

        let old = [("x-1", "Autumn", "Rome", Date.now)]  // try context.fetch(…).map { … }
        try database.batch {
            for (id, name, destination, start) in old {
                try trips.save(
                    Trip(id: id, name: name, destination: destination, start: start)
                )
            }
        }
        #expect(try trips.get("x-1")?.destination == "Rome")
    }
}
