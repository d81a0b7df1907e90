import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("The guide to documents")
struct DocumentsGuideTests {
    @Test("the examples of the guide to documents create, read, change and delete documents")
    func works() throws {
        let test = try TestDatabase()
        let hotels = try test.database.createCollection(name: "hotels")
        let opened = Date(timeIntervalSince1970: 1_000_000_000)
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        let hotel = MutableDocument(id: "hotel-12")
            .setString("Chez Paul", forKey: "name")
            .setInt(3, forKey: "stars")
            .setDate(opened, forKey: "opened")
            .setArray(MutableArrayObject(data: ["wifi", "bar"]), forKey: "services")
        try hotels.save(document: hotel)

        let parsed = try MutableDocument(
            id: "hotel-13",
            json: #"{"name": "Gîte", "beds": [2, 2, 1]}"#
        )
        try hotels.save(document: parsed)
        let json = try hotels.document(id: "hotel-13")?.toJSON()
        #expect(json?.contains(#""beds":[2,2,1]"#) == true)

        if let document = try hotels.document(id: "hotel-12") {
            let name = document.string(forKey: "name")
            let stars = document.int(forKey: "stars")
            let firstService = document["services"][0].string
            print(name ?? "no name", stars, firstService ?? "no services")
        }
        #expect(printed == ["Chez Paul 3 wifi"])

        let exists = hotel["address"]["city"].exists
        #expect(!exists)

        if let changed = try hotels.document(id: "hotel-12")?.toMutable() {
            changed.setInt(4, forKey: "stars")
            changed.array(forKey: "services")?.addString("sauna")
            changed["address"].dictionary = MutableDictionaryObject(data: ["city": "Lyon"])
            try hotels.save(document: changed)
        }
        let stored = try #require(try hotels.document(id: "hotel-12"))
        #expect(stored.int(forKey: "stars") == 4)
        #expect(stored["services"][2].string == "sauna")
        #expect(stored["address"]["city"].string == "Lyon")

        try hotels.save(document: MutableDocument(id: "hotel-14"))
        try hotels.delete(document: hotel)
        try hotels.purge(id: "hotel-13")
        try hotels.setDocumentExpiration(
            id: "hotel-14",
            expiration: Date(timeIntervalSinceNow: 3600)
        )
        #expect(hotels.count == 1)
        #expect(try hotels.getDocumentExpiration(id: "hotel-14") != nil)
    }
}
