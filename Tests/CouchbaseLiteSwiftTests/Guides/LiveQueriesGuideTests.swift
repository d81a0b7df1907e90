import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("The guide to live queries", .timeLimit(.minutes(5)))
struct LiveQueriesGuideTests {
    @Test("the examples of the guide to live queries get changes, results and differences")
    func works() async throws {
        let folder = try DatabaseFolder()
        let database = try folder.open("travel")
        let collection = try database.createCollection(name: "airports")
        let queue = DispatchQueue(label: "guide")
        let printed = Recorder<String>()
        @Sendable func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        func save(_ id: String, _ name: String, _ altitude: Int) throws {
            let document = MutableDocument(id: id).setString(name, forKey: "name").setInt(altitude, forKey: "altitude")
            try collection.save(document: document.setString("Bolivia", forKey: "country"))
        }
        func waitUntilPrinted(_ line: String) async {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    printed.wait { $0.contains(line) }
                    continuation.resume()
                }
            }
        }
        try save("LPB", "El Alto", 13355)

        let query = try database.createQuery(
            "SELECT meta().id, name FROM airports WHERE altitude > $altitude ORDER BY name"
        )
        query.parameters = Parameters().setInt(8000, forName: "altitude")

        let token = query.addChangeListener(withQueue: queue) { change in
            guard let results = change.results else {
                return print("cannot be run:", change.error as Any)
            }
            print(results.map { $0.string(forKey: "name") ?? "?" })
        }
        await waitUntilPrinted(#"["El Alto"]"#)
        try save("CBB", "Jorge Wilstermann", 8360)
        await waitUntilPrinted(#"["El Alto", "Jorge Wilstermann"]"#)
        let count = printed.all.count

        query.parameters = Parameters().setInt(13000, forName: "altitude")

        await waitUntilPrinted(#"["El Alto"]"#)
        query.parameters = Parameters().setInt(8000, forName: "altitude")
        #expect(count == 2)
        token.remove()

        struct Airport: Decodable, Sendable {
            let id: String
            let name: String
        }

        for try await results in query.results() {
            let airports = try results.data(as: Airport.self)
            print("there are", airports.count)
            if airports.count == 2 { break }
        }
        #expect(printed.all.last == "there are 2")

        try save("POI", "Capitán Nicolas Rojas", 12913)
        var names: [String] = []
        for try await difference in query.differences() {
            difference.apply(to: &names) { row in row.string(forKey: "name") ?? "?" }
            print(
                "removed",
                difference.removed,
                "inserted",
                difference.inserted,
                "moved",
                difference.moved.count
            )
            if names.count == 3 { break }
        }
        #expect(names == ["Capitán Nicolas Rojas", "El Alto", "Jorge Wilstermann"])

        let counts = try database.createQuery(
            "SELECT country, count(*) AS airports FROM airports GROUP BY country"
        )
        let byCountry = counts.differences(by: .column("country"))
        for try await difference in byCountry {
            #expect(difference.rows.map { $0.int(forKey: "airports") } == [3])
            break
        }
    }
}
